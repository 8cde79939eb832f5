#include "cubcal_nn/bayes/laplace.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal_nn/kernels/sigma.h"

namespace cubcal {

namespace {

constexpr int kFirstHalfDecade = -8;
constexpr int kLastHalfDecade = 12;

at::Tensor as_doubles(const at::Tensor& values) { return values.to(at::kDouble); }

}  // namespace

LastLayerCurvature last_layer_curvature(const at::Tensor& features, const at::Tensor& logits) {
  const at::Tensor p = as_doubles(logits).softmax(1);
  const at::Tensor spread = (p * (1 - p)).t();  // [K, N]
  return {spread.matmul(as_doubles(features).square()), spread.sum(1)};
}

double laplace_nll(const LastLayerCurvature& curvature, double precision,
                   const at::Tensor& features, const at::Tensor& logits, const at::Tensor& labels) {
  check_positive("precision", precision);
  const at::Tensor weight = (curvature.weight + precision).reciprocal();
  const at::Tensor bias = (curvature.bias + precision).reciprocal();
  const at::Tensor variance = as_doubles(features).square().matmul(weight.t()) + bias;  // [N, K]
  const at::Tensor scaled = as_doubles(logits) / (1 + M_PI / 8 * variance).sqrt();
  return at::nll_loss(scaled.log_softmax(1), labels).item<double>();
}

PriorPrecision best_prior_precision(const LastLayerCurvature& curvature, const at::Tensor& features,
                                    const at::Tensor& logits, const at::Tensor& labels) {
  PriorPrecision best;
  for (int step = kFirstHalfDecade; step <= kLastHalfDecade; ++step) {
    const double precision = std::pow(10.0, step / 2.0);
    const double nll = laplace_nll(curvature, precision, features, logits, labels);
    if (step == kFirstHalfDecade || nll < best.nll) {
      best = {precision, nll, step == kLastHalfDecade};
    }
  }
  return best;
}

void set_laplace_posterior(const LastLayerCurvature& curvature, double precision,
                           ParameterStore& parameters) {
  check_positive("precision", precision);
  const c10::NoGradGuard no_grad;
  std::size_t set = 0;
  for (std::size_t i = 0; i < parameters.parameters().size(); ++i) {
    const ParameterEntry& entry = parameters.parameters()[i];
    if (entry.kind != ParameterKind::kVariational) continue;
    const at::Tensor& own = entry.shape.size() == 2 ? curvature.weight : curvature.bias;
    if (own.sizes() != c10::IntArrayRef(entry.shape) || ++set > 2) {
      throw ArgumentError("'" + entry.path + "' is not of the last layer that was measured");
    }
    const at::Tensor sigma = (own + precision).rsqrt();
    parameters.view(parameters.rho(), i).copy_(rho_from_sigma(sigma));
  }
  if (set != 2) throw ArgumentError("the network has no Gaussian last layer");
}

}  // namespace cubcal
