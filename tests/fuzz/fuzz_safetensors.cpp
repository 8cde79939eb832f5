#include <cstddef>
#include <cstdint>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/weights/safetensors.h"

/// Any bytes are either a safetensors file or a DataError.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    cubcal::read_safetensors(cubcal::MemorySource("input", bytes));
  } catch (const cubcal::DataError&) {
  }
  return 0;
}
