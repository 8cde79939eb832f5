#include "cubcal_nn/train/checkpoint.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_text.h"
#include "cubcal/weights/safetensors.h"

namespace cubcal {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cubcal-checkpoint";

json head_to_json(const CheckpointHead& head) {
  return {{"format", kFormat},
          {"version", kTrainingStateVersion},
          {"state", to_json(head.state)},
          {"threads", head.compute.threads},
          {"convolution", convolution_backend_name(head.compute.convolution)},
          {"ranks", head.compute.ranks},
          {"split", name_of(kSplitNames, head.compute.over)},
          {"recipe_hash", head.recipe_hash},
          {"data_hash", head.data_hash}};
}

CheckpointHead head_from_json(const json& object) {
  const int version = object.at("format") == kFormat ? object.at("version").get<int>() : 0;
  if (version < 1 || version > kTrainingStateVersion) {
    throw DataError("it is not a cubcal checkpoint of version 1 to " +
                    std::to_string(kTrainingStateVersion));
  }
  CheckpointHead head;
  head.state = training_state_from_json(object.at("state"), version);
  object.at("threads").get_to(head.compute.threads);
  head.compute.convolution = parse_convolution_backend(object.at("convolution").get<std::string>());
  if (object.contains("ranks")) {  // earlier programs knew of one
    object.at("ranks").get_to(head.compute.ranks);
    head.compute.over = value_named(kSplitNames, object.at("split").get<std::string>(), "split");
  }
  object.at("recipe_hash").get_to(head.recipe_hash);
  object.at("data_hash").get_to(head.data_hash);
  return head;
}

DType dtype_of(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kDouble ? DType::kF64 : DType::kF32;
}

}  // namespace

std::string checkpoint_head_text(const CheckpointHead& head) { return head_to_json(head).dump(); }

CheckpointHead parse_checkpoint_head(const std::string& text) {
  return head_from_json(parse_json<json>(text, "its head"));
}

NamedTensors checkpoint_tensors(const ParameterStore& store, const FlatSgd& optimiser) {
  NamedTensors named = optimiser.state();
  const NamedTensors values = store.flat_values();
  named.insert(named.end(), values.begin(), values.end());
  return named;
}

void write_checkpoint(const std::string& path, const CheckpointHead& head,
                      const ParameterStore* store, const FlatSgd* optimiser) {
  const c10::NoGradGuard no_grad;
  NamedTensors held;  // copies on the CPU, alive until the file is written
  if (store != nullptr && optimiser != nullptr) {
    for (const auto& [name, tensor] : checkpoint_tensors(*store, *optimiser)) {
      held.emplace_back(name, tensor.cpu().contiguous());
    }
  }
  std::vector<TensorView> views;
  for (const auto& [name, tensor] : held) {
    views.push_back({name,
                     dtype_of(tensor),
                     {static_cast<std::size_t>(tensor.numel())},
                     static_cast<const std::byte*>(tensor.data_ptr())});
  }
  refuse_link(path);
  write_safetensors(path, views, {{"checkpoint", checkpoint_head_text(head)}});
}

std::optional<CheckpointHead> read_checkpoint_head(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  const TensorFile file = read_safetensors(path);
  try {
    return parse_checkpoint_head(file.metadata.at("checkpoint"));
  } catch (const std::exception& error) {
    throw DataError("the checkpoint '" + path + "' cannot be used: " + error.what());
  }
}

void restore_checkpoint(const std::string& path, ParameterStore& store, FlatSgd& optimiser) {
  const c10::NoGradGuard no_grad;
  const TensorFile file = read_safetensors(path);
  for (auto& [name, tensor] : checkpoint_tensors(store, optimiser)) {
    const NdArray* values = file.tensors.find(name);
    if (values == nullptr || values->dtype() != dtype_of(tensor) ||
        values->size() != static_cast<std::size_t>(tensor.numel())) {
      throw DataError("the checkpoint '" + path + "' does not fit the network: '" + name +
                      "' must have " + std::to_string(tensor.numel()) + " values");
    }
    if (tensor.numel() == 0) continue;
    const at::Tensor source =
        at::from_blob(const_cast<std::byte*>(values->bytes()), {tensor.numel()},
                      at::TensorOptions().dtype(tensor.scalar_type()));
    tensor.copy_(source);
  }
}

}  // namespace cubcal
