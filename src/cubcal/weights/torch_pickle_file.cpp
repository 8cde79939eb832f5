#include "cubcal/weights/torch_pickle_file.h"

#include "cubcal/core/error.h"
#include "cubcal/io/torch_file.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Kind = PickleValue::Kind;

const PickleValue& choose_dict(const Pickle& pickle, const std::string& key,
                               const std::string& file) {
  const PickleValue& top = pickle.top();
  if (top.kind != Kind::kDict) {
    throw DataError(file + " holds no dictionary of tensors, which a state dict is");
  }
  if (key.empty()) return top;
  const PickleValue* chosen = find_entry(pickle, top, key);
  if (chosen == nullptr || chosen->kind != Kind::kDict) {
    throw ArgumentError("the key " + in_quotes(key) + " of " + file +
                        (chosen == nullptr ? " does not exist" : " is not a dictionary") +
                        "; its keys are " + describe_keys(pickle, top));
  }
  return *chosen;
}

std::vector<NamedTensor> list_tensors(const Pickle& pickle, const std::string& key,
                                      const std::string& file) {
  const PickleValue& dict = choose_dict(pickle, key, file);
  std::vector<NamedTensor> tensors;
  for (std::size_t i = 0; i + 1 < dict.items.size(); i += 2) {
    const PickleValue& key_value = pickle.at(dict.items[i]);
    const std::string* name = key_value.kind == Kind::kText ? &key_value.text : nullptr;
    const PickleValue& value = pickle.at(dict.items[i + 1]);
    if (name != nullptr && value.kind == Kind::kTensor) {
      tensors.push_back({*name, &pickle.tensors[static_cast<std::size_t>(value.integer)]});
      continue;
    }
    const std::string what =
        name == nullptr ? "a key that is not text" : "entry " + in_quotes(*name);
    throw KeyIsNeeded(
        (key.empty() ? file : "the key " + in_quotes(key) + " of " + file) +
        " is not a state dict, since " + what + (name == nullptr ? "" : " is not a tensor") +
        "; choose the key that holds the state dict, from " + describe_keys(pickle, pickle.top()));
  }
  if (tensors.empty()) throw DataError(file + " holds an empty state dict");
  return tensors;
}

}  // namespace

StateDict read_torch_state_dict(std::shared_ptr<const ByteSource> source,
                                const StateDictOptions& options) {
  const TorchFile file(std::move(source));
  const std::vector<NamedTensor> tensors = list_tensors(file.pickle(), options.key, file.name());
  std::vector<NdArray> arrays = file.read(tensors);
  StateDict result;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    result.add(tensors[i].name, std::move(arrays[i]));
  }
  return result;
}

}  // namespace cubcal
