#pragma once

#include <map>
#include <string>
#include <vector>

#include "cubcal/io/byte_source.h"
#include "cubcal/weights/state_dict.h"

/// The safetensors format: 8 bytes of header length (little endian), a JSON header that gives each
/// tensor's dtype, shape and byte range, and the bytes. Reading it can run no code.
namespace cubcal {

struct TensorFile {
  StateDict tensors;                            ///< in the order of their bytes
  std::map<std::string, std::string> metadata;  ///< the header's `__metadata__`
};

/// Throws DataError unless every tensor has a known dtype (F16, BF16, F32, F64, I8 to I64, U8 to
/// U64, BOOL) and as many bytes as its shape asks for, and the tensors cover the data without
/// overlap and without holes. Tensors of a megabyte and more are mapped, not copied: the file may
/// be replaced or removed while they are used, but not shortened.
TensorFile read_safetensors(const std::string& path);
TensorFile read_safetensors(const ByteSource& source);

/// A tensor to be written: memory in C order that belongs to the caller.
struct TensorView {
  std::string name;
  DType dtype = DType::kF32;
  std::vector<std::size_t> shape;
  const std::byte* bytes = nullptr;
};

/// Equal tensors and metadata give equal bytes, in whatever order they come: tensors are laid out
/// by falling element size, so that each is aligned, and then by name. The file appears whole or
/// not at all. Throws ArgumentError for a name used twice, the name `__metadata__`, and text that
/// is not UTF-8.
void write_safetensors(const std::string& path, std::vector<TensorView> tensors,
                       const std::map<std::string, std::string>& metadata = {});
void write_safetensors(const std::string& path, const StateDict& tensors,
                       const std::map<std::string, std::string>& metadata = {});

}  // namespace cubcal
