#include "cubcal/weights/state_dict.h"

#include <array>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal/weights/torch_pickle_file.h"

namespace cubcal {

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
  return read_state_dict(std::make_shared<FileSource>(path), options);
}

StateDict read_state_dict(std::shared_ptr<const ByteSource> source,
                          const StateDictOptions& options) {
  std::array<unsigned char, 9> head{};
  if (source->size() >= head.size()) source->read_at(0, head.data(), head.size());
  const bool zip = head[0] == 'P' && head[1] == 'K';
  const bool pickle = head[0] == 0x80 && head[1] >= 2 && head[1] <= 5;
  const bool safetensors = head[8] == '{';
  if (safetensors) {
    if (!options.key.empty()) {
      throw ArgumentError("no key can be chosen in the safetensors file '" + source->name() +
                          "': it holds one state dict");
    }
    return std::move(read_safetensors(*source).tensors);
  }
  if (zip || pickle) return read_torch_state_dict(std::move(source), options);
  throw DataError("'" + source->name() +
                  "' is neither a safetensors file nor a PyTorch state dict (.pth, .pt)");
}

}  // namespace cubcal
