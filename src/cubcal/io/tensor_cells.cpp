#include "cubcal/io/tensor_cells.h"

#include <cstdint>
#include <cstring>
#include <limits>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

std::optional<std::uint64_t> byte_count(const std::vector<std::size_t>& shape,
                                        std::size_t element_bytes) {
  std::uint64_t bytes = element_bytes;
  for (const std::size_t extent : shape) {
    if (extent != 0 && bytes > std::numeric_limits<std::uint64_t>::max() / extent) return {};
    bytes *= extent;
  }
  return bytes;
}

void widen_bfloat16(NdArray& values) {
  // From the last element down: each 4-byte result covers only 2-byte cells already read.
  for (std::size_t i = values.size(); i-- > 0;) {
    std::uint16_t upper;
    std::memcpy(&upper, values.bytes() + 2 * i, sizeof upper);
    const std::uint32_t bits = static_cast<std::uint32_t>(upper) << 16;
    std::memcpy(values.bytes() + 4 * i, &bits, sizeof bits);
  }
}

void check_bools(const NdArray& values, const std::string& file, const std::string& tensor) {
  const std::byte* bytes = values.bytes();
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (std::to_integer<unsigned>(bytes[i]) > 1) {
      throw DataError("bool tensor " + in_quotes(tensor) + " of " + file + " holds the byte " +
                      std::to_string(std::to_integer<unsigned>(bytes[i])) +
                      "; only 0 and 1 are accepted");
    }
  }
}

}  // namespace cubcal
