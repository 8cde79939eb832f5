#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/io/torch_logits.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto source = std::make_shared<cubcal::MemorySource>("input", bytes);
  cubcal::LogitsReading reading;
  reading.all_columns = true;
  try {
    cubcal::read_torch_logits(source, reading);
  } catch (const cubcal::Error&) {
  }
  try {
    cubcal::read_torch_labels(source, "labels", 4);
  } catch (const cubcal::Error&) {
  }
  return 0;
}
