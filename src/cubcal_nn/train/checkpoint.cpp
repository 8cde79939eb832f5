#include "cubcal_nn/train/checkpoint.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cubcal/core/checksums.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/weights/safetensors.h"

namespace cubcal {

using nlohmann::json;

namespace {

constexpr const char* kFormat = "cubcal-checkpoint";
// In the file's metadata. Earlier programs wrote no hashes.
constexpr const char* kHead = "checkpoint";
constexpr const char* kHeadHash = "checkpoint_hash";

json head_to_json(const CheckpointHead& head) {
  return {{"format", kFormat},
          {"version", kTrainingStateVersion},
          {"state", to_json(head.state)},
          {"threads", head.compute.threads},
          {"convolution", convolution_backend_name(head.compute.convolution)},
          {"ranks", head.compute.ranks},
          {"split", name_of(kSplitNames, head.compute.over)},
          {"recipe_hash", head.recipe_hash},
          {"data_hash", head.data_hash},
          {"pretrained_hash", head.pretrained_hash},
          {"tensors_hash", head.tensors_hash}};
}

CheckpointHead head_from_json(const JsonFields& fields) {
  const bool is_known = fields.has("format") && fields.at("format") == kFormat;
  const std::int64_t version = is_known ? fields.whole_number("version") : 0;
  if (version < 1 || version > kTrainingStateVersion) {
    throw DataError("it is not a cubcal checkpoint of version 1 to " +
                    std::to_string(kTrainingStateVersion));
  }
  CheckpointHead head;
  head.state = training_state_from_json(fields.object("state"), version);
  head.compute.threads = static_cast<int>(fields.count("threads", 1, kMostThreads));
  head.compute.convolution = parse_convolution_backend(fields.text("convolution"));
  if (fields.has("ranks")) {  // earlier programs knew of one
    head.compute.ranks = static_cast<int>(fields.count("ranks", 1, 100'000));
    head.compute.over = value_named(kSplitNames, fields.text("split"), "split");
  }
  head.recipe_hash = fields.text("recipe_hash");
  head.data_hash = fields.text("data_hash");
  fields.read("pretrained_hash", head.pretrained_hash);
  fields.read("tensors_hash", head.tensors_hash);
  return head;
}

/// Of names and bytes. Parts are hashed beside each other: a large network's checkpoint is written
/// every few seconds.
std::string hash_of(const std::vector<TensorView>& tensors) {
  constexpr std::size_t kPart = std::size_t{1} << 20;
  const InterruptScope not_now([] { return false; });  // Ctrl-C asks for this very file
  ContentHash whole;
  for (const TensorView& tensor : tensors) {
    const std::size_t bytes = tensor.shape.at(0) * dtype_size(tensor.dtype);
    std::vector<std::uint64_t> parts((bytes + kPart - 1) / kPart);
    parallel_blocks(bytes, kPart, [&](std::size_t first, std::size_t last) {
      ContentHash part;
      part.add(tensor.bytes + first, last - first);
      parts[first / kPart] = part.value();
    });
    whole.add(tensor.name);
    whole.add(parts.data(), parts.size() * sizeof parts[0]);
  }
  return whole.text();
}

DType dtype_of(const at::Tensor& tensor) {
  return tensor.scalar_type() == at::kDouble ? DType::kF64 : DType::kF32;
}

DataError not_usable(const std::string& path, const Error& error) {
  return kept_not_usable("checkpoint '" + path + "'", error);
}

CheckpointHead head_of(const TensorFile& file, const std::string& path) {
  try {
    const auto text = file.metadata.find(kHead);
    if (text == file.metadata.end()) throw DataError("it has no head");
    const auto hash = file.metadata.find(kHeadHash);
    const bool has_hash = hash != file.metadata.end();
    if (has_hash) check_content_hash(text->second, hash->second, "its head");
    CheckpointHead head = parse_checkpoint_head(text->second);
    if (checksums_count && !has_hash && !head.tensors_hash.empty()) {
      throw DataError("the hash of its head is missing");
    }
    return head;
  } catch (const Error& error) {
    throw not_usable(path, error);
  }
}

TensorFile read_tensors(const std::string& path) {
  try {
    return read_safetensors(path);
  } catch (const DataError& error) {
    throw not_usable(path, error);
  }
}

}  // namespace

DataError kept_not_usable(const std::string& what, const Error& error) {
  return DataError("the " + what + " cannot be used (" + error.what() +
                   "): put back a copy of it, or train anew");
}

std::string checkpoint_head_text(const CheckpointHead& head) { return head_to_json(head).dump(); }

CheckpointHead parse_checkpoint_head(const std::string& text) {
  const JsonFields::Json head = parse_json(text, "its head");
  return head_from_json({head, "checkpoint"});
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
  CheckpointHead whole = head;
  whole.tensors_hash = hash_of(views);
  const std::string text = checkpoint_head_text(whole);
  refuse_link(path);
  write_safetensors(path, views, {{kHead, text}, {kHeadHash, content_hash(text)}});
}

std::optional<CheckpointHead> read_checkpoint_head(const std::string& path) {
  if (!std::filesystem::exists(path)) return std::nullopt;
  return head_of(read_tensors(path), path);
}

void restore_checkpoint(const std::string& path, ParameterStore& store, FlatSgd& optimiser) {
  const c10::NoGradGuard no_grad;
  const TensorFile file = read_tensors(path);
  const NamedTensors places = checkpoint_tensors(store, optimiser);
  const auto misfit = [&](const std::string& name, std::int64_t values) {
    return DataError("the checkpoint '" + path + "' does not fit the network: '" + name +
                     "' must have " + std::to_string(values) + " values");
  };
  std::vector<TensorView> views;
  for (const auto& [name, tensor] : places) {
    const NdArray* values = file.tensors.find(name);
    if (values == nullptr || values->dtype() != dtype_of(tensor) ||
        values->size() != static_cast<std::size_t>(tensor.numel())) {
      throw misfit(name, tensor.numel());
    }
    views.push_back({name, values->dtype(), {values->size()}, values->bytes()});
  }
  const std::string stored = head_of(file, path).tensors_hash;
  if (checksums_count && !stored.empty() && hash_of(views) != stored) {
    throw not_usable(path, DataError("its weights are not those its hash was made of: the file was "
                                     "damaged or edited"));
  }
  for (std::size_t i = 0; i < places.size(); ++i) {
    const at::Tensor& tensor = places[i].second;
    if (tensor.numel() == 0) continue;
    tensor.copy_(at::from_blob(const_cast<std::byte*>(views[i].bytes), {tensor.numel()},
                               at::TensorOptions().dtype(tensor.scalar_type())));
  }
}

}  // namespace cubcal
