#include "cubcal_nn/ood/gaussian.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

constexpr double kOfTotalVariance = 1e-10;
constexpr double kOfMeanSquare = 1e-14;

/// The lower factor, or nothing where the matrix is not positive definite to working precision.
std::optional<at::Tensor> lower_factor(const at::Tensor& matrix) {
  const auto [factor, failure] = at::linalg_cholesky_ex(matrix);
  if (failure.item<std::int64_t>() != 0) return std::nullopt;
  return factor;
}

at::Tensor shrunk(const at::Tensor& covariance, double lambda) {
  const at::Tensor variance = covariance.diagonal().mean();
  at::Tensor result = covariance * (1 - lambda);
  result.diagonal().add_(variance * lambda);
  return result;
}

}  // namespace

double oas_shrinkage(const at::Tensor& covariance, std::int64_t samples) {
  const auto dimension = static_cast<double>(covariance.size(0));
  const double trace = covariance.diagonal().sum().item<double>();
  const double trace_of_square = covariance.square().sum().item<double>();
  const double spread = trace_of_square - trace * trace / dimension;
  if (spread <= 0) return 1;
  const double above = (1 - 2 / dimension) * trace_of_square + trace * trace;
  const double below = (static_cast<double>(samples) + 1 - 2 / dimension) * spread;
  return std::min(1.0, above / below);
}

Gaussian::Gaussian(const at::Tensor& covariance, const at::Tensor& total_variance,
                   const at::Tensor& mean_square, std::int64_t samples,
                   std::optional<double> shrinkage) {
  const at::Tensor noise =
      at::maximum(total_variance * kOfTotalVariance, mean_square * kOfMeanSquare);
  const at::Tensor varies = covariance.diagonal() > noise;
  if (!varies.any().item<bool>()) {
    throw DataError("a covariance needs features that vary, and the " + std::to_string(samples) +
                    " training samples have the same ones within each class");
  }
  if (shrinkage.value_or(0) == 0) {
    const std::optional<at::Tensor> plain = lower_factor(covariance);
    if (plain && (plain->diagonal().square() > noise).all().item<bool>()) {
      factor_ = *plain;
      return;
    }
    if (shrinkage) {
      throw DataError("the covariance of the " + std::to_string(covariance.size(0)) +
                      " features is singular, so that it needs a shrinkage above 0");
    }
  }
  shrinkage_ = shrinkage ? *shrinkage : oas_shrinkage(covariance, samples);
  const std::optional<at::Tensor> factor = lower_factor(shrunk(covariance, shrinkage_));
  if (!factor) {
    throw DataError("the covariance of the " + std::to_string(covariance.size(0)) +
                    " features stays singular at a shrinkage of " + std::to_string(shrinkage_));
  }
  factor_ = *factor;
}

at::Tensor Gaussian::squared_distances(const at::Tensor& rows, const at::Tensor& means) const {
  // Measured from the middle of the means, the expanded square below loses no digits.
  const at::Tensor origin = means.mean(0);
  const auto whiten = [&](const at::Tensor& values) {
    return at::linalg_solve_triangular(factor_, (values - origin).t(), /*upper=*/false);
  };
  const at::Tensor x = whiten(rows);   // [D, B]
  const at::Tensor m = whiten(means);  // [D, K]
  const at::Tensor squares = x.square().sum(0).unsqueeze(1) + m.square().sum(0).unsqueeze(0);
  return (squares - 2 * at::mm(x.t(), m)).clamp_min(0);
}

}  // namespace cubcal
