#include "cubcal_nn/ood/verdict_folder.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "cubcal/calibration/calibration_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/system_error.h"
#include "cubcal/record/model_paths.h"
#include "cubcal_nn/infer/model_change.h"
#include "cubcal_nn/ood/detector_file.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kField = "verdict";
constexpr const char* kScores = "id_scores";

ModelPaths paths_of(const std::string& folder) { return {resolved_model_folder(folder)}; }

bool has_hash(const std::string& path, const Json& verdict) {
  return verdict.contains(kDetectorHashField) && std::filesystem::exists(path) &&
         verdict[kDetectorHashField] == detector_hash(path);
}

bool fits_calibration(const VerdictPolicy& policy, const ModelDescription& model) {
  return policy.calibration == calibration_hash(model.calibration);
}

std::vector<double> scores_of(const DetectorFile& file) {
  const at::Tensor scores = entry(file.extras, kScores, {-1}).to(at::kDouble).contiguous();
  const auto* first = scores.data_ptr<double>();
  std::vector<double> values(first, first + scores.numel());
  if (!std::is_sorted(values.begin(), values.end())) {
    throw DataError("the ID scores of the verdict are not in rising order");
  }
  return values;
}

}  // namespace

void attach_verdict(const std::string& folder, const VerdictModel& verdict,
                    const std::string& weights_hash) {
  if (!verdict.detector || verdict.detector->name() != verdict.policy.detector) {
    throw ArgumentError("the verdict policy is for the detector '" + verdict.policy.detector +
                        "', which must come with it");
  }
  const ModelChange change(paths_of(folder).folder);
  const ModelPaths& paths = change.paths();
  refuse_link(paths.next_detector());
  if (read_weights_hash(paths.folder) != weights_hash ||
      !fits_calibration(verdict.policy, read_model_description(paths.folder))) {
    throw DataError("the model in '" + paths.folder +
                    "' is another one than its verdict was fitted for, which was not written: fit "
                    "the verdict again");
  }
  save_detector(paths.next_detector(), *verdict.detector, {},
                {{kScores, at::tensor(verdict.policy.id_scores, at::kDouble)}});
  Json json = Json::parse(verdict_to_json(verdict.policy));
  json[kDetectorHashField] = detector_hash(paths.next_detector());
  change.attach(kField, json.dump());
  rename_file(paths.next_detector(), paths.detector());
}

bool has_stale_verdict(const std::string& folder) {
  const std::optional<std::string> field = read_model_field(folder, kField);
  return field && !fits_calibration(verdict_from_json(*field), read_model_description(folder));
}

void remove_detector(const std::string& folder) {
  const ModelPaths paths = paths_of(folder);
  for (const std::string& path : {paths.detector(), paths.next_detector()}) {
    std::error_code error;
    std::filesystem::remove(path, error);
    if (error) throw io_error("remove", path, error.message());
  }
}

std::optional<VerdictModel> load_verdict(const LoadedModel& model) {
  const auto field = model.fields.find(kField);
  if (field == model.fields.end()) return std::nullopt;
  VerdictModel verdict;
  verdict.policy = verdict_from_json(field->second);
  if (!fits_calibration(verdict.policy, model.description)) {
    throw DataError(
        "the model in '" + model.folder +
        "' has another calibration than its verdict was fitted with: fit the verdict again");
  }
  if (verdict.policy.sets && verdict.policy.sets->classes != model.description.classes()) {
    throw DataError("the model in '" + model.folder + "' has " +
                    std::to_string(model.description.classes()) +
                    " classes, and the prediction sets of its verdict are of " +
                    std::to_string(verdict.policy.sets->classes) + ": fit the verdict again");
  }
  const ModelPaths paths = paths_of(model.folder);
  const Json json = Json::parse(field->second);
  const bool is_next = !has_hash(paths.detector(), json) && has_hash(paths.next_detector(), json);
  const std::string path = is_next ? paths.next_detector() : paths.detector();
  if (!has_hash(path, json)) {
    throw DataError(path +
                    " is not the file that the model's verdict was written with: fit the verdict "
                    "again");
  }
  DetectorFile file = load_detector(path, model.network->options().device);
  if (file.detector->name() != verdict.policy.detector) {
    throw DataError(path + " holds the detector '" + file.detector->name() +
                    "', and the model's verdict is for '" + verdict.policy.detector + "'");
  }
  verdict.policy.id_scores = scores_of(file);
  verdict.detector = std::move(file.detector);
  return verdict;
}

std::vector<double> verdict_scores(const VerdictModel& verdict, McEngine& engine,
                                   const at::Tensor& images, const McOptions& options) {
  return score_all(*verdict.detector,
                   network_features(engine, images, options, verdict.policy.features));
}

}  // namespace cubcal
