#pragma once

#include <memory>
#include <optional>
#include <string>

#include "cubcal/calibration/calibration.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/ood/verdict.h"

/// Verdicts in a model folder: the policy is the field `verdict` of model.json; detector and ID
/// scores lie in `ood.safetensors` beside it, whose hash the policy carries.
namespace cubcal {

/// What a model needs to judge images.
struct VerdictModel {
  VerdictPolicy policy;
  std::unique_ptr<Detector> detector;
};

/// Replaces the verdict that is there; the rest of the model stays as it is. Throws ArgumentError
/// where the detector is not the policy's, and DataError where the model has other weights by now
/// than those it was fitted with, or another calibration.
void attach_verdict(const std::string& folder, const VerdictModel& verdict,
                    const std::string& weights_hash);

/// Whether the model has a verdict that load_verdict refuses, since its calibration is no longer
/// the one the policy was fitted with.
bool has_stale_verdict(const std::string& folder);

/// Removes the detector that a model replaced by another one has left behind. Throws IoError.
void remove_detector(const std::string& folder);

/// Of a model's folder, on its network's device; nothing where it has none. Throws DataError where
/// the files do not belong together, or the model's calibration is no longer the one the policy was
/// fitted with.
std::optional<VerdictModel> load_verdict(const LoadedModel& model);

/// The detector's scores of images, from features as the policy has them.
std::vector<double> verdict_scores(const VerdictModel& verdict, McEngine& engine,
                                   const at::Tensor& images, const McOptions& options);

}  // namespace cubcal
