#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal {

/// The Python dict literal in the head of a .npy file.
struct NpyDict {
  std::string descr;
  bool fortran_order = false;
  std::vector<std::size_t> shape;
};

/// Parses exactly the literals NumPy writes: the keys 'descr' (a string), 'fortran_order' (True or
/// False) and 'shape' (a tuple of non-negative integers), each once, in any order, and white space
/// up to the end. Throws DataError "<where> has a damaged head: ..." for anything else.
NpyDict parse_npy_dict(std::string_view text, const std::string& where);

}  // namespace cubcal
