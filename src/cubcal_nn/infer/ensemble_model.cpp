#include "cubcal_nn/infer/ensemble_model.h"

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal_nn/models/ensemble.h"

namespace cubcal {

namespace {

/// What of a model must be the same in all members, as text.
std::string shape_text(const ModelDescription& model) {
  return nlohmann::json{{"network", model.network},
                        {"head", head_kind_name(model.head)},
                        {"classes", model.class_names},
                        {"preprocessing", to_json(model.preprocessing)}}
      .dump();
}

void check_member(const std::string& folder, const ModelDescription& member,
                  const std::string& first, const ModelDescription& expected) {
  if (member.kind != LayerKind::kDeterministic) {
    throw ArgumentError("the members of an ensemble are deterministic, and the model in '" +
                        folder + "' is " + layer_kind_name(member.kind));
  }
  if (shape_text(member) != shape_text(expected)) {
    throw ArgumentError("the models in '" + first + "' and '" + folder +
                        "' differ in network, head, classes or preprocessing: they are no members "
                        "of one ensemble");
  }
}

}  // namespace

EnsembleModel ensemble_of(const std::vector<std::string>& folders, c10::Device device) {
  if (folders.size() < 2) throw ArgumentError("an ensemble needs two models or more");
  EnsembleModel result;
  std::vector<std::unique_ptr<Network>> members;
  std::vector<std::string> hashes;
  for (const std::string& folder : folders) {
    LoadedModel model = load_model(folder, device);
    if (members.empty()) result.description = model.description;
    check_member(folder, model.description, folders.front(), result.description);
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (hashes[i] != model.weights_hash) continue;
      throw ArgumentError("the models in '" + folders[i] + "' and '" + folder +
                          "' have the same weights: members of an ensemble must differ");
    }
    hashes.push_back(model.weights_hash);
    const Provenance& own = model.description.provenance;
    result.same_data = result.same_data && own.data_hash == result.description.provenance.data_hash;
    members.push_back(std::move(model.network));
  }
  ModelDescription& description = result.description;
  description.kind = LayerKind::kEnsemble;
  description.members = members.size();
  description.calibration.reset();
  description.identity.reset();
  description.provenance.stage = layer_kind_name(LayerKind::kEnsemble);
  description.provenance.metrics.clear();
  result.network = make_ensemble(description.network_options(device), std::move(members));
  return result;
}

}  // namespace cubcal
