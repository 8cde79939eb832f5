#include "cubcal/weights/state_dict.h"

#include <array>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"
#include "cubcal/weights/keras_resnet50.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal/weights/torch_pickle_file.h"

namespace cubcal {

namespace {

void refuse_key(const StateDictOptions& options, const std::string& kind, const std::string& name) {
  if (options.key.empty()) return;
  throw ArgumentError("no key can be chosen in the " + kind + " '" + name +
                      "': it holds one state dict");
}

}  // namespace

void StateDict::add(std::string name, NdArray values) {
  if (!index_.emplace(name, entries_.size()).second) {
    throw DataError("tensor " + in_quotes(name) + " appears twice in a state dict");
  }
  entries_.push_back({std::move(name), std::move(values)});
}

const NdArray* StateDict::find(const std::string& name) const {
  const auto found = index_.find(name);
  return found == index_.end() ? nullptr : &entries_[found->second].values;
}

const NdArray& StateDict::at(const std::string& name) const {
  const NdArray* values = find(name);
  if (values == nullptr) {
    throw DataError("the state dict has no tensor " + in_quotes(name) + " among its " +
                    std::to_string(size()));
  }
  return *values;
}

StateDict read_state_dict(const std::string& path, const StateDictOptions& options) {
  if (!is_layers_model(path)) {
    return read_state_dict(std::make_shared<FileSource>(path), options);
  }
  refuse_key(options, "TensorFlow.js model", path);
  return torchvision_resnet50(read_layers_model(path));
}

StateDict read_state_dict(std::shared_ptr<const ByteSource> source,
                          const StateDictOptions& options) {
  std::array<unsigned char, 9> head{};
  if (source->size() >= head.size()) source->read_at(0, head.data(), head.size());
  const bool zip = head[0] == 'P' && head[1] == 'K';
  const bool pickle = head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
  const bool safetensors = head[8] == '{';
  if (safetensors) {
    refuse_key(options, "safetensors file", source->name());
    return std::move(read_safetensors(*source).tensors);
  }
  if (zip || pickle) return read_torch_state_dict(std::move(source), options);
  throw DataError("'" + source->name() +
                  "' is neither a safetensors file nor a PyTorch state dict (.pth, .pt) nor a "
                  "TensorFlow.js layers model");
}

}  // namespace cubcal
