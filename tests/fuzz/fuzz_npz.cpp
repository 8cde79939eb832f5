#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/io/npz.h"

namespace {

void read_array(const cubcal::NpzReader& npz, const std::string& name) {
  try {
    if (npz.peek(name).is_text()) {
      npz.read_text(name);
    } else {
      npz.read(name);
    }
  } catch (const cubcal::Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto source = std::make_shared<cubcal::MemorySource>("input", bytes);
  try {
    const cubcal::NpzReader npz(source);
    for (const std::string& name : npz.names()) read_array(npz, name);
  } catch (const cubcal::Error&) {
  }
  try {
    cubcal::read_logits_file(source);
  } catch (const cubcal::Error&) {
  }
  return 0;
}
