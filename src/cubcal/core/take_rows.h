#pragma once

#include <cstddef>
#include <type_traits>
#include <vector>

#include "cubcal/core/nd_array.h"

namespace cubcal {

/// Of an array [outer, length, inner] in C order the entries `rows` of the middle axis, in this
/// order: an array [outer, rows, inner].
NdArray take_rows(const void* data, DType dtype, std::size_t outer, std::size_t length,
                  std::size_t inner, const std::vector<std::size_t>& rows);

/// The same of a list with an entry for each row; an empty list stays empty.
template <class Values>
auto take_rows(const Values& values, const std::vector<std::size_t>& rows) {
  std::vector<std::decay_t<decltype(values[0])>> taken;
  if (values.size() == 0) return taken;
  taken.reserve(rows.size());
  for (const std::size_t row : rows) taken.push_back(values[row]);
  return taken;
}

}  // namespace cubcal
