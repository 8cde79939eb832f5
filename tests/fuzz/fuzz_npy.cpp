#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

#include "cubcal/core/error.h"
#include "cubcal/io/npy.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    const auto source = std::make_shared<cubcal::MemorySource>("input", bytes);
    const auto stream = cubcal::open_range(source, 0, size);
    const cubcal::NpyHeader header = cubcal::read_npy_header(*stream, "input");
    if (header.is_text()) {
      cubcal::read_npy_text(*stream, header, "input");
    } else {
      cubcal::read_npy_numbers(*stream, header, "input");
    }
  } catch (const cubcal::Error&) {
  }
  return 0;
}
