#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/core/nd_array.h"

namespace cubcal {

/// How the elements of a weight file lie in it.
struct CellType {
  DType dtype;            ///< the type they are read as
  std::size_t file_size;  ///< bytes per element in the file
  bool bfloat16;          ///< to be widened to float32
};

/// The bytes of a tensor in its file, or nothing where they cannot be counted in 64 bits.
std::optional<std::uint64_t> byte_count(const std::vector<std::size_t>& shape,
                                        std::size_t element_bytes);

/// Widens bfloat16, the upper half of a float32, in place: the 2-byte cells lie at the front of
/// `values`, a float32 array.
void widen_bfloat16(NdArray& values);

/// Throws DataError where a byte of a bool array is neither 0 nor 1.
void check_bools(const NdArray& values, const std::string& file, const std::string& tensor);

}  // namespace cubcal
