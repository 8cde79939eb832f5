#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "cubcal_nn/kernels/noise.h"

/// Gaussian weights on the CPU, each step in one pass over memory: the noise of a draw is
/// made in pieces that fit the cache, used there and never stored. Results do not depend on the
/// number of threads. Tensors are flat and contiguous; float64 and other devices take the plain
/// formula with stored noise.
namespace cubcal {

/// sigma = softplus(rho) and, where it is defined, slope = d sigma / d rho = sigmoid(rho).
void sigma_and_slope(const at::Tensor& rho, at::Tensor sigma, at::Tensor slope);

/// out = mu + sigma * noise(key), the noise being that of normal_noise(). `out` may be mu or sigma.
void draw_weights(at::Tensor out, const at::Tensor& mu, const at::Tensor& sigma,
                  const NoiseKey& key);

/// The way back from S draws with weight gradients g_s: mu_gradient += sum_s g_s and
/// rho_gradient += slope * sum_s g_s noise(keys[s]). The tensors may be a piece of the buffers, the
/// one that begins at value `first`, a multiple of four.
void fold_gradients(const std::vector<at::Tensor>& gradients, const std::vector<NoiseKey>& keys,
                    const at::Tensor& slope, at::Tensor mu_gradient, at::Tensor rho_gradient,
                    std::int64_t first = 0);

struct KlKernelOptions {
  double prior_sigma = 1;
  double weight = 1;  ///< what each element's KL is multiplied by
};

/// Adds the gradient of weight * KL(N(mu, sigma^2) || N(prior_mean, prior_sigma^2)):
/// mu_gradient += weight (mu - prior_mean) / prior_sigma^2 and
/// rho_gradient += weight slope (sigma / prior_sigma^2 - 1 / sigma). Gives the weighted KL, summed
/// in float64.
double kl_gradient(const at::Tensor& mu, const at::Tensor& sigma, const at::Tensor& slope,
                   const at::Tensor& prior_mean, const KlKernelOptions& options,
                   at::Tensor mu_gradient, at::Tensor rho_gradient);

}  // namespace cubcal
