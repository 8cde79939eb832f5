#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/weights/keras_resnet50.h"

/// Any bytes are either a layers model or a DataError: the bytes before the first NUL are the
/// model.json, and those behind it every shard that it names.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view text = bytes.substr(0, bytes.find('\0'));
  const std::string_view shard = bytes.substr(std::min(text.size() + 1, size));
  try {
    const cubcal::LayersModel model = cubcal::read_layers_model(
        cubcal::MemorySource("model.json", text), [shard](const std::string& name) {
          return std::make_shared<cubcal::MemorySource>(name, shard);
        });
    cubcal::torchvision_resnet50(model);
  } catch (const cubcal::DataError&) {
  }
  return 0;
}
