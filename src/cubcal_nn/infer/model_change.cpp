#include "cubcal_nn/infer/model_change.h"

#include <chrono>
#include <filesystem>

#include "cubcal/calibration/calibration_hash.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/model_record.h"
#include "cubcal/weights/safetensors.h"
#include "cubcal_nn/infer/model_json.h"
#include "cubcal_nn/infer/model_versions.h"
#include "cubcal_nn/infer/weights_hash.h"

namespace cubcal {

namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr std::chrono::seconds kLongestWait{60};
constexpr std::size_t kLargestDetector = std::size_t{4} << 30;

void finish_weights(const ModelPaths& paths, const Json& document) {
  if (!fs::exists(paths.next_weights())) return;
  const std::string next =
      weights_hash(read_safetensors(paths.next_weights()).tensors, description_of(document).script);
  if (next == model_record_of(document).weights_hash) {
    rename_file(paths.next_weights(), paths.weights());
  }
}

void finish_detector(const ModelPaths& paths, const Json& document) {
  if (!fs::exists(paths.next_detector())) return;
  const Json verdict = model_record_of(document).verdict;
  if (verdict.is_object() && verdict.contains(kDetectorHashField) &&
      verdict[kDetectorHashField] == detector_hash(paths.next_detector())) {
    rename_file(paths.next_detector(), paths.detector());
  }
}

void finish_calibration(const ModelPaths& paths, const Json& document) {
  if (!fs::exists(paths.next_calibration())) return;
  const Calibration next = load_calibration(paths.next_calibration());
  if (calibration_hash(description_of(document).calibration) == calibration_hash(next)) {
    rename_file(paths.next_calibration(), paths.calibration());
  }
}

void finish_earlier_change(const ModelPaths& paths) {
  if (!fs::exists(paths.description())) return;
  for (const auto finish : {finish_weights, finish_detector, finish_calibration}) {
    try {
      finish(paths, read_model_document(paths.description()));
    } catch (const DataError&) {
      continue;  // that file, or the model, is none and about to be replaced or refused
    }
  }
}

std::optional<ModelIdentity> identity_of(const ModelPaths& paths, const Json& document) {
  try {
    return identity_in(document);
  } catch (const DataError& error) {
    throw DataError(paths.description() + ": " + error.what());
  }
}

/// Gives a document that is about to replace a model's the identity that is wanted, or where the
/// model has one the version after it; the model as it is is kept then.
void take_version(const ModelPaths& paths, Json& document,
                  const std::optional<ModelIdentity>& wanted) {
  const std::string& model = paths.folder;
  const std::optional<ModelIdentity> earlier = identity_of(paths, document);
  if (!earlier && !wanted) return;
  const ModelIdentity next = wanted ? *wanted : following(*earlier, model);
  check_identity(next);
  refuse_version_passed(model, earlier, next.version);
  if (earlier) keep_version(model, *earlier);
  document[kIdentityField] = identity_to_json(next);
}

}  // namespace

std::string detector_hash(const std::string& path) {
  ContentHash hash;
  hash.add(read_text_file(path, kLargestDetector));
  return hash.text();
}

ModelChange::ModelChange(const std::string& folder)
    : paths_{folder}, lock_(wait_for_folder(folder, kLongestWait)) {
  finish_earlier_change(paths_);
}

void ModelChange::attach(const std::string& field, const std::string& json,
                         const std::optional<ModelIdentity>& identity) const {
  Json document = read_model_document(paths_.description());
  document[field] = Json::parse(json);
  take_version(paths_, document, identity);
  write_model_document(paths_.description(), std::move(document));
}

void ModelChange::name(const ModelIdentity& identity) const {
  Json document = read_model_document(paths_.description());
  take_version(paths_, document, identity);
  write_model_document(paths_.description(), std::move(document));
}

}  // namespace cubcal
