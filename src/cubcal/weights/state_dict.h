#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/core/nd_array.h"
#include "cubcal/io/byte_source.h"

namespace cubcal {

struct NamedArray {
  std::string name;
  NdArray values;
};

/// The weights of a network: arrays by name, in the order of the file they came from.
class StateDict {
 public:
  /// Throws DataError for a name used twice.
  void add(std::string name, NdArray values);
  /// Null where there is none.
  const NdArray* find(const std::string& name) const;
  /// Throws DataError where there is none.
  const NdArray& at(const std::string& name) const;

  const std::vector<NamedArray>& entries() const { return entries_; }
  std::size_t size() const { return entries_.size(); }
  std::vector<NamedArray>::const_iterator begin() const { return entries_.begin(); }
  std::vector<NamedArray>::const_iterator end() const { return entries_.end(); }

 private:
  std::vector<NamedArray> entries_;
  std::unordered_map<std::string, std::size_t> index_;
};

struct StateDictOptions {
  /// The key of a PyTorch checkpoint under which the state dict lies; empty where the file is the
  /// state dict itself. Nothing is guessed: a file that needs a choice is refused with the keys
  /// that exist.
  std::string key = {};
};

/// A checkpoint holds more than a state dict: one of its keys, which the text lists, is to be
/// chosen.
class KeyIsNeeded : public DataError {
 public:
  using DataError::DataError;
};

/// Reads a safetensors file or a PyTorch state dict (.pth, .pt: the zip format and the one before
/// it), told apart by content. No code in the file is run. Throws KeyIsNeeded where it is. bfloat16
/// comes as float32, which holds every bfloat16 value. Throws DataError where the file is damaged
/// or holds anything but tensors.
///
/// A path may also name a TensorFlow.js layers model of Keras' ResNet-50, its folder or its
/// model.json: see torchvision_resnet50 for what becomes of it.
StateDict read_state_dict(const std::string& path, const StateDictOptions& options = {});
StateDict read_state_dict(std::shared_ptr<const ByteSource> source,
                          const StateDictOptions& options = {});

}  // namespace cubcal
