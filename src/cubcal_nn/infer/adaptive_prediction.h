#pragma once

#include <ATen/core/Tensor.h>

#include <cstddef>
#include <optional>
#include <vector>

#include "cubcal/adaptive/sequential_decision.h"
#include "cubcal_nn/infer/mc_engine.h"

namespace cubcal {

/// Predictions from as many passes as each image needed.
struct AdaptivePrediction {
  Predictive unscaled;
  Predictive calibrated;            ///< equal to `unscaled` without a calibration
  std::vector<std::size_t> passes;  ///< [N]: taken
  std::vector<double> risk;  ///< [N]: SequentialDecision::risk at the end, 0 after all passes
};

/// Draws in blocks and goes on with the images that are not settled. The draws are those of
/// engine.run with the same options, in the same order, so that an image that takes all passes gets
/// the same prediction, and `mc.passes` is the number that decisions are held against.
/// `mc.progress` is told of settled images.
///
/// Stopping saves passes of the whole network. An MC-dropout network runs its trunk once and only
/// its head per pass: there all passes are drawn at once.
///
/// `network` is the engine's. Throws what engine.run and SequentialDecision throw.
AdaptivePrediction predict_adaptively(McEngine& engine, const Network& network,
                                      const at::Tensor& images, const McOptions& mc,
                                      const AdaptiveOptions& adaptive,
                                      const DecisionOptions& decision,
                                      const std::optional<Calibration>& calibration);

}  // namespace cubcal
