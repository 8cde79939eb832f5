#include "cubcal_nn/infer/model_folder.h"

#include <ATen/ATen.h>

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/model_paths.h"
#include "cubcal/record/model_record.h"
#include "cubcal/version.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal_nn/infer/model_change.h"
#include "cubcal_nn/infer/model_json.h"
#include "cubcal_nn/infer/script_files.h"
#include "cubcal_nn/infer/tensor_exchange.h"
#include "cubcal_nn/infer/weights_hash.h"
#include "cubcal_nn/models/ensemble.h"
#include "cubcal_nn/models/registry.h"

namespace cubcal {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

/// The folder itself, or that of the best model where it is a training run's.
ModelPaths existing_model(const std::string& folder) {
  const ModelPaths best{(fs::path(folder) / "best").string()};
  const ModelPaths own{folder};
  const ModelPaths& there =
      !fs::exists(own.description()) && fs::exists(best.description()) ? best : own;
  return {fs::path(there.description()).parent_path().string()};
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw IoError("the model folder '" + folder + "' cannot be made: " + error.message());
  }
}

void check_is_described(const ModelDescription& description, const Network& network) {
  const NetworkOptions expected = description.network_options(network.options().device);
  const NetworkOptions& given = network.options();
  if (network.name() == description.network && given.classes == expected.classes &&
      given.channels == expected.channels && given.height == expected.height &&
      given.width == expected.width && given.kind == expected.kind && given.head == expected.head &&
      given.members == expected.members && given.dropout_rate == expected.dropout_rate) {
    return;
  }
  throw ArgumentError("the network '" + network.name() +
                      "' differs from its description in name, classes, image size, layers, "
                      "head or dropout rate");
}

std::string read_description(const ModelPaths& paths) {
  return read_text_file(paths.description(), kLargestModelRecord);
}

/// Turns a DataError about the description into one that names the file.
template <class Use>
auto naming_description(const ModelPaths& paths, Use use) {
  try {
    return use();
  } catch (const DataError& error) {
    throw DataError(paths.description() + ": " + error.what());
  }
}

std::string weights_hash_in(const ModelRecord& record) {
  if (record.weights_hash.empty()) throw DataError("a model needs the field 'weights_hash'");
  return record.weights_hash;
}

/// Throws where there is no model, before a lock is looked for in its folder.
ModelChange change_of(const std::string& folder) {
  const ModelPaths paths = existing_model(folder);
  read_description(paths);
  return ModelChange(paths.folder);
}

struct WeightsFile {
  std::string path;
  StateDict weights;
};

/// The weights with this hash, or nothing.
std::optional<WeightsFile> find_weights(const ModelPaths& paths, const std::string& hash,
                                        const std::optional<ScriptDescription>& script) {
  for (const std::string& path : {paths.weights(), paths.next_weights()}) {
    if (!fs::exists(path)) continue;
    StateDict weights = read_safetensors(path).tensors;
    if (weights_hash(weights, script) == hash) return WeightsFile{path, std::move(weights)};
  }
  return std::nullopt;
}

/// Before room is made for as many networks as model.json asks for.
void check_holds_members(const ModelDescription& description, const WeightsFile& file) {
  if (description.members == 0 || description.script) return;
  const NetworkOptions whole = description.network_options(c10::Device(c10::DeviceType::CPU));
  std::size_t needed = 0, there = 0;
  for (const auto& [name, tensor] :
       make_network(description.network, member_options(whole))->tensors()) {
    needed += tensor.nbytes();
  }
  for (const NamedArray& entry : file.weights) there += entry.values.byte_size();
  if (there / description.members >= needed) return;
  throw DataError(file.path + " has too few weights for " + std::to_string(description.members) +
                  " members of '" + description.network + "'");
}

void fill(Network& network, const WeightsFile& file) {
  NamedTensors tensors;
  for (const NamedArray& entry : file.weights) {
    tensors.emplace_back(entry.name, to_tensor(entry, file.path));
  }
  const TransferReport report = network.fill(tensors);
  if (!report.complete()) {
    throw DataError(file.path + " does not fit the network '" + network.name() +
                    "': " + report.text());
  }
}

}  // namespace

void save_model(const std::string& folder, const ModelDescription& description,
                const Network& network) {
  check_is_described(description, network);
  ModelDescription complete = description;
  if (complete.provenance.program.empty()) {
    complete.provenance.program = std::string("cubcal ") + kVersion;
  }
  Json document = Json::parse(description_to_json(complete));
  const HostTensors tensors(network.tensors());
  document["weights_hash"] = weights_hash(tensors.views(), description.script);
  make_folder(folder);
  const ModelPaths paths{folder};
  for (const std::string& path : {paths.description(), paths.next_weights()}) refuse_link(path);
  const ModelChange change(folder);
  WrittenScriptFiles script_files(folder, network);
  write_safetensors(paths.next_weights(), tensors.views(), {{"format", "cubcal-model"}});
  write_model_document(paths.description(), std::move(document));
  script_files.keep();
  rename_file(paths.next_weights(), paths.weights());
  remove_other_script_files(folder, network);
}

LoadedModel load_model(const std::string& folder, c10::Device device) {
  const ModelPaths paths = existing_model(folder);
  constexpr int attempts = 3;  // another program may be saving this very moment
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::string text = read_description(paths);
    LoadedModel model;
    model.folder = paths.folder;
    const std::string hash = naming_description(paths, [&] {
      const Json document = parse_description(text);
      model.description = description_of(document);
      model.fields = fields_of(document);
      const ModelRecord record = model_record_of(document);
      model.decision_hash = record.decision_hash;
      return model.weights_hash = weights_hash_in(record);
    });
    const std::optional<WeightsFile> file = find_weights(paths, hash, model.description.script);
    if (!file) continue;
    const ModelDescription& description = model.description;
    check_holds_members(description, *file);
    model.network = naming_description(paths, [&] {
      try {
        return description.script
                   ? load_script_model(model.folder, description, device)
                   : make_network(description.network, description.network_options(device));
      } catch (const ArgumentError& error) {
        throw DataError(error.what());
      }
    });
    fill(*model.network, *file);
    return model;
  }
  if (!fs::exists(paths.weights())) {
    throw DataError("the model folder '" + folder + "' has no file weights.safetensors");
  }
  throw DataError(paths.weights() +
                  " is not the file that model.json was written with: its hash is " +
                  "another, so one of the two was damaged or replaced");
}

ModelDescription read_model_description(const std::string& folder) {
  const ModelPaths paths = existing_model(folder);
  return naming_description(paths, [&] { return description_from_json(read_description(paths)); });
}

void attach_calibration(const std::string& folder, const Calibration& calibration,
                        const std::optional<ModelIdentity>& identity) {
  const ModelChange change = change_of(folder);
  const ModelPaths& paths = change.paths();
  const std::string document = read_description(paths);
  naming_description(paths, [&] {
    ModelDescription description = description_from_json(document);
    description.calibration = calibration;
    check_description(description);
    const std::string own = weights_hash_in(model_record_of(parse_description(document)));
    if (!calibration.weights_hash.empty() && calibration.weights_hash != own) {
      throw DataError("the calibration was fitted on logits of other weights (hash " +
                      calibration.weights_hash + ") than this model has (" + own +
                      "): draw logits of this model and calibrate these");
    }
    return 0;
  });
  const bool is_named = identity || read_model_description(paths.folder).identity;
  const bool has_file = is_named && fs::exists(paths.calibration());
  if (has_file) {
    for (const std::string& path : {paths.calibration(), paths.next_calibration()}) {
      refuse_link(path);
    }
    save_calibration(paths.next_calibration(), calibration);
  }
  change.attach("calibration", calibration_to_json(calibration), identity);
  if (has_file) rename_file(paths.next_calibration(), paths.calibration());
}

std::string resolved_model_folder(const std::string& folder) {
  return existing_model(folder).folder;
}

void attach_identity(const std::string& folder, const ModelIdentity& identity) {
  change_of(folder).name(identity);
}

std::string read_weights_hash(const std::string& folder) {
  const ModelPaths paths = existing_model(folder);
  const Json document = read_model_document(paths.description());
  return naming_description(paths, [&] { return weights_hash_in(model_record_of(document)); });
}

std::optional<std::string> read_model_field(const std::string& folder, const std::string& name) {
  const ModelPaths paths = existing_model(folder);
  const Json document = read_model_document(paths.description());
  if (!document.contains(name)) return std::nullopt;
  return document[name].dump();
}

}  // namespace cubcal
