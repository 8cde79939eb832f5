#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/core/nd_array.h"

namespace cubcal {

/// Of an array [outer, length, inner] in C order the entries `rows` of the middle axis, in this
/// order: an array [outer, rows, inner].
NdArray take_rows(const void* data, DType dtype, std::size_t outer, std::size_t length,
                  std::size_t inner, const std::vector<std::size_t>& rows);

}  // namespace cubcal
