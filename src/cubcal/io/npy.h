#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/core/nd_array.h"
#include "cubcal/io/byte_source.h"

/// NumPy's .npy format, versions 1.0, 2.0 and 3.0. Numbers (float16/32/64, all integers, bool) are
/// read from either byte order and from C or Fortran order into C order and the machine's byte
/// order. Fixed-width text ('U' and 'S') is read as UTF-8. Pickled objects are refused: reading
/// them would run code.
namespace cubcal {

/// What the head of a .npy file says, already held against the bytes that follow it.
struct NpyHeader {
  enum class Kind { kNumbers, kUnicode, kBytes };

  Kind kind = Kind::kNumbers;
  DType dtype = DType::kF64;   ///< of numbers
  std::size_t item_size = 0;   ///< bytes per element, never 0
  bool is_swapped = false;     ///< not in the machine's byte order
  bool fortran_order = false;  ///< the first axis varies fastest
  std::vector<std::size_t> shape;

  bool is_text() const { return kind != Kind::kNumbers; }
  std::size_t count() const;
  /// "float32", or "text" for text.
  std::string type_text() const;
  /// "(80, 367, 5)", as NumPy prints a shape.
  std::string shape_text() const;
};

/// Whether the source starts as a .npy file does.
bool is_npy(const ByteSource& source);

/// Reads the head and leaves the stream at the first element. `where` names the array in error
/// messages, for example "the array 'logits' of 'val.npz'". Throws DataError unless exactly the
/// elements that the shape asks for are left.
NpyHeader read_npy_header(ByteStream& stream, const std::string& where);

/// Reads the elements that follow a head. Those in C order go straight into the result; Fortran
/// order needs a second buffer of the same size for the time of the call.
NdArray read_npy_numbers(ByteStream& stream, const NpyHeader& header, const std::string& where);

/// Reads text elements: one string per element of an array with at most one axis longer than 1.
/// NUL characters at the end of an element are padding.
std::vector<std::string> read_npy_text(ByteStream& stream, const NpyHeader& header,
                                       const std::string& where);

NdArray read_npy(const std::string& path);
void write_npy(const std::string& path, const NdArray& array);

/// The head of a version 1.0 file of numbers in C order and the machine's byte order, padded so
/// that the elements start at a multiple of 64 bytes.
std::string npy_head(DType dtype, const std::vector<std::size_t>& shape);

/// A whole .npy file of a one-dimensional Unicode array. Throws DataError for text that is not
/// UTF-8 or ends in a NUL character, which the format cannot keep.
std::string npy_text(const std::vector<std::string>& texts);

}  // namespace cubcal
