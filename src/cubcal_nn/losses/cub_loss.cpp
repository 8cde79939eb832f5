#include "cubcal_nn/losses/cub_loss.h"

#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "cubcal/boundary/curve.h"
#include "cubcal/boundary/regions.h"
#include "cubcal/core/check.h"

namespace cubcal {

namespace {

/// 1 / scale, and 0 for a region whose deviation cannot be anything but 0.
double inverse(double scale) { return scale > 0 ? 1.0 / scale : 0.0; }

/// R = -sum_{k != predicted} p_k ln(p_k / r) and r = sum_{k != predicted} p_k, per sample.
struct Rest {
  at::Tensor mass;
  at::Tensor entropy;
};

Rest rest_of(const MeanPrediction& prediction) {
  const at::Tensor is_predicted = at::zeros_like(prediction.log_probabilities, at::kBool)
                                      .scatter_(1, prediction.predicted.unsqueeze(1), true);
  const at::Tensor log_mass =
      at::logsumexp(prediction.log_probabilities.masked_fill(
                        is_predicted, -std::numeric_limits<double>::infinity()),
                    {1}, /*keepdim=*/true);
  const at::Tensor terms = prediction.probabilities * (prediction.log_probabilities - log_mass);
  return {log_mass.squeeze(1).exp(), -terms.masked_fill(is_predicted, 0).sum(1)};
}

/// -log(1 - d), continued beyond 1 - epsilon as a line of the same value and slope.
at::Tensor barrier(const at::Tensor& deviation, double epsilon) {
  const at::Tensor inside = deviation.clamp_max(1 - epsilon);
  return (deviation - inside) / epsilon - at::log1p(-inside);
}

}  // namespace

void check_cub_options(const CubOptions& options, std::int64_t classes) {
  check_gamma(options.gamma, static_cast<std::size_t>(classes));
  check_in_open("epsilon of CUB-Loss", options.epsilon, 0.0, 1.0);
}

at::Tensor cub_deviation(const MeanPrediction& prediction, const at::Tensor& labels, double gamma) {
  const std::int64_t classes = prediction.probabilities.size(1);
  const DeviationScale scale = deviation_scale(gamma, static_cast<std::size_t>(classes));
  const Rest rest = rest_of(prediction);
  const at::Tensor& c = prediction.confidence;
  const at::Tensor correct = prediction.predicted == labels;
  const at::Tensor certain = c.detach() > gamma;
  const double log_others = std::log(static_cast<double>(classes - 1));
  const at::Tensor accurate_certain = rest.entropy * inverse(scale.accurate_certain);
  const at::Tensor accurate_uncertain = (gamma - c) * inverse(scale.accurate_uncertain);
  const at::Tensor inaccurate_certain = (c - gamma) * inverse(scale.inaccurate_certain);
  const at::Tensor inaccurate_uncertain =
      (rest.mass * log_others - rest.entropy) * inverse(scale.inaccurate_uncertain);
  return at::where(correct, at::where(certain, accurate_certain, accurate_uncertain),
                   at::where(certain, inaccurate_certain, inaccurate_uncertain));
}

at::Tensor cub_loss(const MeanPrediction& prediction, const at::Tensor& labels,
                    const CubOptions& options) {
  check_cub_options(options, prediction.probabilities.size(1));
  const at::Tensor losses =
      barrier(cub_deviation(prediction, labels, options.gamma), options.epsilon);
  return options.reduction == BatchReduction::kSum ? losses.sum() : losses.mean();
}

}  // namespace cubcal
