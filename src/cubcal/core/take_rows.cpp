#include "cubcal/core/take_rows.h"

#include <cstring>

namespace cubcal {

NdArray take_rows(const void* data, DType dtype, std::size_t outer, std::size_t length,
                  std::size_t inner, const std::vector<std::size_t>& rows) {
  NdArray result(dtype, {outer, rows.size(), inner});
  const std::size_t row_bytes = inner * dtype_size(dtype);
  std::byte* to = result.bytes();
  for (std::size_t o = 0; o < outer; ++o) {
    const std::byte* from = static_cast<const std::byte*>(data) + o * length * row_bytes;
    for (const std::size_t row : rows) {
      std::memcpy(to, from + row * row_bytes, row_bytes);
      to += row_bytes;
    }
  }
  return result;
}

}  // namespace cubcal
