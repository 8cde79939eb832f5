#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "cubcal/adaptive/sequential_decision.h"
#include "cubcal/classifier.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/ood/verdict_folder.h"

namespace cubcal {

/// A model and the rule it decides by.
struct JudgingModel {
  LoadedModel model;
  std::optional<VerdictModel> verdict;

  /// U above it is referred: the verdict's threshold, else eta.
  double refer_above() const;
  /// Of the prediction sets, where these decide.
  std::optional<double> set_level() const;
};

/// How images are answered.
struct AnsweringOptions {
  McOptions mc;
  std::optional<AdaptiveOptions> adaptive;  ///< unset: every image takes all passes
  DecisionOptions decision;                 ///< what must be settled before an image stops
  bool spread = false;                      ///< of probabilities over passes, where all are taken
};

/// One forward run serves prediction and features where the verdict takes those of the passes; at
/// mean weights they are a pass of their own. `images`: [N, C, H, W] in levels.
std::vector<Answer> answer_images(const JudgingModel& judging, McEngine& engine,
                                  const at::Tensor& images, const AnsweringOptions& options);

}  // namespace cubcal
