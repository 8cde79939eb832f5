#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "cubcal/io/tensor_cells.h"

/// Python's pickle, restricted to what a PyTorch state dict is made of: dictionaries, lists,
/// tuples, numbers, strings, and tensors described by a storage and strides. A pickle is a program
/// that may name any Python function; this reader knows seven of them, all of them descriptions,
/// and refuses the others by name. Nothing is ever called.
namespace cubcal {

/// A run of elements that tensors are views of; its bytes lie outside the pickle.
struct TorchStorage {
  std::string key;  ///< by which the container finds the bytes
  CellType type;
  std::uint64_t size = 0;  ///< in elements
};

struct TorchTensor {
  std::size_t storage = 0;  ///< index in Pickle::storages
  std::uint64_t offset = 0;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint64_t> stride;  ///< in elements
};

struct PickleValue {
  enum class Kind {
    kNone,
    kBool,
    kInteger,
    kLong,  ///< an integer beyond 64 bits, its little-endian bytes in `text`
    kReal,
    kText,
    kTuple,
    kList,
    kDict,     ///< `items` alternates keys and values
    kGlobal,   ///< a name from the list of accepted ones, "module.name" in `text`
    kStorage,  ///< `integer` is the index in Pickle::storages
    kTensor    ///< `integer` is the index in Pickle::tensors
  };
  Kind kind = Kind::kNone;
  std::int64_t integer = 0;
  double real = 0;
  std::string text;
  std::vector<std::uint32_t> items;  ///< indices in Pickle::values
};

/// An unpickled object. Values refer to each other by index, so that a list that contains itself,
/// which pickles can express, is harmless.
struct Pickle {
  std::vector<PickleValue> values;
  std::vector<TorchStorage> storages;
  std::vector<TorchTensor> tensors;
  std::uint32_t root = 0;
  std::size_t end = 0;  ///< bytes of the pickle, up to and including its STOP

  const PickleValue& at(std::uint32_t index) const { return values[index]; }
  const PickleValue& top() const { return values[root]; }
};

/// Bytes a pickle may have: state dicts of large networks need a few hundred kilobytes.
constexpr std::size_t kLargestPickle = 16u << 20;

/// Reads one pickle (protocols 2 to 5) from the front of `bytes`. `file` is what errors call the
/// file. A tensor's numbers are only checked to be non-negative: whether they fit its storage is
/// for the one who reads the storage.
Pickle read_torch_pickle(std::string_view bytes, const std::string& file);

}  // namespace cubcal
