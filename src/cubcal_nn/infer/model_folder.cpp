#include "cubcal_nn/infer/model_folder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <filesystem>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_text.h"
#include "cubcal/record/decision_hash.h"
#include "cubcal/version.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal_nn/infer/model_json.h"
#include "cubcal_nn/infer/model_versions.h"
#include "cubcal_nn/infer/script_files.h"
#include "cubcal_nn/infer/tensor_exchange.h"
#include "cubcal_nn/models/ensemble.h"
#include "cubcal_nn/models/registry.h"

namespace cubcal {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

struct ModelPaths {
  explicit ModelPaths(const std::string& folder)
      : description((fs::path(folder) / "model.json").string()),
        weights((fs::path(folder) / "weights.safetensors").string()),
        next((fs::path(folder) / "weights.next.safetensors").string()) {}

  std::string description;
  std::string weights;
  std::string next;
};

/// The folder itself, or that of the best model where it is a training run's.
ModelPaths existing_model(const std::string& folder) {
  const ModelPaths best((fs::path(folder) / "best").string());
  const ModelPaths own(folder);
  return !fs::exists(own.description) && fs::exists(best.description) ? best : own;
}

std::string folder_of(const ModelPaths& paths) {
  return fs::path(paths.description).parent_path().string();
}

/// Over names and bytes in the order of the names, whatever the order in the file, and what tells
/// of a network that is in files.
std::string weights_hash(std::vector<TensorView> views,
                         const std::optional<ScriptDescription>& script) {
  std::sort(views.begin(), views.end(),
            [](const TensorView& a, const TensorView& b) { return a.name < b.name; });
  ContentHash hash;
  for (const TensorView& view : views) {
    std::size_t bytes = dtype_size(view.dtype);
    for (const std::size_t extent : view.shape) bytes *= extent;
    hash.add(view.name);
    hash.add(view.bytes, bytes);
  }
  if (script) {
    for (const std::string& each : script->sha256) hash.add(each);
    hash.add(script->features + (script->one_by_one ? " one by one" : ""));
  }
  return hash.text();
}

std::string weights_hash(const StateDict& weights, const std::optional<ScriptDescription>& script) {
  std::vector<TensorView> views;
  for (const NamedArray& entry : weights) {
    views.push_back({entry.name, entry.values.dtype(), entry.values.shape(), entry.values.bytes()});
  }
  return weights_hash(std::move(views), script);
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
  return read_text_file(paths.description, kLargestDescription);
}

/// Turns a DataError about the description into one that names the file.
template <class Use>
auto naming_description(const ModelPaths& paths, Use use) {
  try {
    return use();
  } catch (const DataError& error) {
    throw DataError(paths.description + ": " + error.what());
  }
}

Json read_object(const ModelPaths& paths) {
  Json document = load_json(paths.description, kLargestDescription);
  if (!document.is_object()) throw DataError(paths.description + " is no JSON object");
  naming_description(paths, [&] {
    check_decision_hash(document);
    return 0;
  });
  return document;
}

/// Nothing is written that could not be read back.
void write_description(const ModelPaths& paths, Json document) {
  document.erase(kDecisionHashField);
  document[kDecisionHashField] = decision_hash(document);
  const std::string text = document.dump(2) + "\n";
  if (text.size() > kLargestDescription) {
    throw DataError("'" + paths.description + "' would grow to " + std::to_string(text.size()) +
                    " bytes, and at most " + std::to_string(kLargestDescription) +
                    " are accepted: it stays as it was");
  }
  refuse_link(paths.description);
  write_file_atomically(paths.description, text);
}

std::string hash_in(const Json& document) {
  if (!document.is_object() || !document.contains(kWeightsHashField) ||
      !document[kWeightsHashField].is_string()) {
    throw DataError(std::string("a model needs the field '") + kWeightsHashField + "'");
  }
  return document[kWeightsHashField].get<std::string>();
}

/// Gives a document that is about to replace a model's the identity that is wanted, or where the
/// model has one the version after it; the model as it is is kept then.
void take_version(const ModelPaths& paths, Json& document,
                  const std::optional<ModelIdentity>& wanted) {
  const std::string model = folder_of(paths);
  const std::optional<ModelIdentity> earlier =
      naming_description(paths, [&] { return identity_in(document); });
  if (!earlier && !wanted) return;
  const ModelIdentity next = wanted ? *wanted : following(*earlier, model);
  check_identity(next);
  refuse_version_passed(model, earlier, next.version);
  if (earlier) keep_version(model, *earlier);
  document[kIdentityField] = identity_to_json(next);
}

struct WeightsFile {
  std::string path;
  StateDict weights;
};

/// The weights with this hash, or nothing.
std::optional<WeightsFile> find_weights(const ModelPaths& paths, const std::string& hash,
                                        const std::optional<ScriptDescription>& script) {
  for (const std::string& path : {paths.weights, paths.next}) {
    if (!fs::exists(path)) continue;
    StateDict weights = read_safetensors(path).tensors;
    if (weights_hash(weights, script) == hash) return WeightsFile{path, std::move(weights)};
  }
  return std::nullopt;
}

/// A save that was killed after its description had been renamed left the weights under their other
/// name, where the next save would lose them.
void finish_earlier_save(const ModelPaths& paths) {
  if (!fs::exists(paths.next) || !fs::exists(paths.description)) return;
  try {
    const Json document = parse_description(read_description(paths));
    if (weights_hash(read_safetensors(paths.next).tensors, description_of(document).script) ==
        hash_in(document)) {
      rename_file(paths.next, paths.weights);
    }
  } catch (const DataError&) {
    return;  // what lies there is no model, and is about to be replaced
  }
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
  document[kWeightsHashField] = weights_hash(tensors.views(), description.script);
  make_folder(folder);
  write_script_files(folder, network);
  const ModelPaths paths(folder);
  for (const std::string& path : {paths.description, paths.next}) refuse_link(path);
  finish_earlier_save(paths);
  write_safetensors(paths.next, tensors.views(), {{"format", "cubcal-model"}});
  write_description(paths, std::move(document));
  rename_file(paths.next, paths.weights);
  remove_other_script_files(folder, network);
}

LoadedModel load_model(const std::string& folder, c10::Device device) {
  const ModelPaths paths = existing_model(folder);
  constexpr int attempts = 3;  // another program may be saving this very moment
  for (int attempt = 0; attempt < attempts; ++attempt) {
    const std::string text = read_description(paths);
    LoadedModel model;
    model.folder = folder_of(paths);
    const std::string hash = naming_description(paths, [&] {
      const Json document = parse_description(text);
      model.description = description_of(document);
      model.fields = fields_of(document);
      model.decision_hash = document.value(kDecisionHashField, "");
      return model.weights_hash = hash_in(document);
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
  if (!fs::exists(paths.weights)) {
    throw DataError("the model folder '" + folder + "' has no file weights.safetensors");
  }
  throw DataError(paths.weights +
                  " is not the file that model.json was written with: its hash is " +
                  "another, so one of the two was damaged or replaced");
}

ModelDescription read_model_description(const std::string& folder) {
  const ModelPaths paths = existing_model(folder);
  return naming_description(paths, [&] { return description_from_json(read_description(paths)); });
}

void attach_calibration(const std::string& folder, const Calibration& calibration,
                        const std::optional<ModelIdentity>& identity) {
  const ModelPaths paths = existing_model(folder);
  const std::string document = read_description(paths);
  naming_description(paths, [&] {
    ModelDescription description = description_from_json(document);
    description.calibration = calibration;
    check_description(description);
    const std::string own = hash_in(parse_description(document));
    if (!calibration.weights_hash.empty() && calibration.weights_hash != own) {
      throw DataError("the calibration was fitted on logits of other weights (hash " +
                      calibration.weights_hash + ") than this model has (" + own +
                      "): draw logits of this model and calibrate these");
    }
    return 0;
  });
  attach_field(folder, "calibration", calibration_to_json(calibration), identity);
  // A version that is kept has its own.
  const std::string copy = (fs::path(folder_of(paths)) / kCalibrationFile).string();
  if (read_model_description(folder).identity && fs::exists(copy)) {
    save_calibration(copy, calibration);
  }
}

std::string resolved_model_folder(const std::string& folder) {
  return folder_of(existing_model(folder));
}

void attach_identity(const std::string& folder, const ModelIdentity& identity) {
  const ModelPaths paths = existing_model(folder);
  Json document = read_object(paths);
  take_version(paths, document, identity);
  write_description(paths, std::move(document));
}

std::string read_weights_hash(const std::string& folder) {
  const ModelPaths paths = existing_model(folder);
  return naming_description(paths, [&] { return hash_in(read_object(paths)); });
}

void attach_field(const std::string& folder, const std::string& name, const std::string& json,
                  const std::optional<ModelIdentity>& identity) {
  const ModelPaths paths = existing_model(folder);
  Json document = read_object(paths);
  document[name] = Json::parse(json);
  take_version(paths, document, identity);
  write_description(paths, std::move(document));
}

std::optional<std::string> read_model_field(const std::string& folder, const std::string& name) {
  const ModelPaths paths = existing_model(folder);
  const Json document = read_object(paths);
  if (!document.contains(name)) return std::nullopt;
  return document[name].dump();
}

}  // namespace cubcal
