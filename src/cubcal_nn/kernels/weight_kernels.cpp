#include "cubcal_nn/kernels/weight_kernels.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <string>

#include "cubcal/core/check.h"
#include "cubcal_nn/kernels/normal_blocks.h"
#include "cubcal_nn/kernels/sigma.h"
#include "cubcal_nn/kernels/sigma_formula.h"

namespace cubcal {

namespace {

void check_flat(const char* what, const at::Tensor& tensor, const at::Tensor& like) {
  if (!tensor.is_contiguous() || tensor.sizes() != like.sizes() ||
      tensor.scalar_type() != like.scalar_type() || tensor.device() != like.device()) {
    throw ArgumentError(std::string(what) + " must be contiguous and of the same size, type and " +
                        "device as the buffers it belongs to");
  }
}

bool has_kernels(const at::Tensor& tensor) {
  return tensor.device().is_cpu() && tensor.scalar_type() == at::kFloat;
}

/// Calls body(start, count) for the pieces of [0, size) on several threads.
template <class Body>
void for_blocks(std::int64_t size, const Body& body) {
  const std::int64_t blocks = (size + kNormalBlock - 1) / kNormalBlock;
  at::parallel_for(0, blocks, 64, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t block = first; block < last; ++block) {
      const std::int64_t start = block * kNormalBlock;
      body(start, std::min(kNormalBlock, size - start));
    }
  });
}

}  // namespace

void sigma_and_slope(const at::Tensor& rho, at::Tensor sigma, at::Tensor slope) {
  check_flat("rho", rho, rho);
  check_flat("sigma", sigma, rho);
  if (slope.defined()) check_flat("the slope of sigma", slope, rho);
  const c10::NoGradGuard no_grad;
  if (!has_kernels(rho)) {
    sigma.copy_(sigma_from_rho(rho));
    if (slope.defined()) at::sigmoid_out(slope, rho);
    return;
  }
  const float* rhos = rho.data_ptr<float>();
  float* sigmas = sigma.data_ptr<float>();
  float* slopes = slope.defined() ? slope.data_ptr<float>() : nullptr;
  for_blocks(rho.numel(), [&](std::int64_t start, std::int64_t count) {
    if (slopes == nullptr) {
      for (std::int64_t i = start; i < start + count; ++i) {
        sigmas[i] = sigma_and_slope(rhos[i]).sigma;
      }
      return;
    }
    for (std::int64_t i = start; i < start + count; ++i) {
      const SigmaAndSlope both = sigma_and_slope(rhos[i]);
      sigmas[i] = both.sigma;
      slopes[i] = both.slope;
    }
  });
}

void draw_weights(at::Tensor out, const at::Tensor& mu, const at::Tensor& sigma,
                  const NoiseKey& key) {
  check_flat("the drawn weights", out, out);
  check_flat("the mean of the weights", mu, out);
  check_flat("the standard deviation of the weights", sigma, out);
  const c10::NoGradGuard no_grad;
  if (!has_kernels(out)) {
    at::Tensor noise = at::empty_like(out);
    normal_noise(noise, key);
    at::addcmul_out(out, mu, sigma, noise);
    return;
  }
  const NoiseWords words = normal_words(key);
  const float* means = mu.data_ptr<float>();
  const float* deviations = sigma.data_ptr<float>();
  float* weights = out.data_ptr<float>();
  for_blocks(out.numel(), [&](std::int64_t start, std::int64_t count) {
    float noise[kNormalBlock];
    normal_block(start, words, noise);
    for (std::int64_t i = 0; i < count; ++i) {
      weights[start + i] = means[start + i] + deviations[start + i] * noise[i];
    }
  });
}

void fold_gradients(const std::vector<at::Tensor>& gradients, const std::vector<NoiseKey>& keys,
                    const at::Tensor& slope, at::Tensor mu_gradient, at::Tensor rho_gradient,
                    std::int64_t first) {
  check_same_size("the list of gradients", gradients.size(), "the list of keys", keys.size());
  check_flat("the gradient of mu", mu_gradient, mu_gradient);
  check_flat("the gradient of rho", rho_gradient, mu_gradient);
  check_flat("the slope of sigma", slope, mu_gradient);
  for (const at::Tensor& gradient : gradients) {
    check_flat("the gradient of a draw", gradient, mu_gradient);
  }
  const c10::NoGradGuard no_grad;
  if (!has_kernels(mu_gradient)) {
    at::Tensor noise = at::empty_like(mu_gradient);
    for (std::size_t s = 0; s < gradients.size(); ++s) {
      normal_noise(noise, keys[s], first);
      mu_gradient.add_(gradients[s]);
      rho_gradient.addcmul_(noise.mul_(gradients[s]), slope);
    }
    return;
  }
  std::vector<NoiseWords> words;
  for (const NoiseKey& key : keys) words.push_back(normal_words(key));
  std::vector<const float*> draws;
  for (const at::Tensor& gradient : gradients) draws.push_back(gradient.data_ptr<float>());
  const float* slopes = slope.data_ptr<float>();
  float* of_mu = mu_gradient.data_ptr<float>();
  float* of_rho = rho_gradient.data_ptr<float>();
  for_blocks(mu_gradient.numel(), [&](std::int64_t start, std::int64_t count) {
    float noise[kNormalBlock];
    float sum[kNormalBlock] = {};
    float product[kNormalBlock] = {};
    for (std::size_t s = 0; s < draws.size(); ++s) {
      normal_block(first + start, words[s], noise);
      const float* gradient = draws[s] + start;
      for (std::int64_t i = 0; i < count; ++i) {
        sum[i] += gradient[i];
        product[i] += gradient[i] * noise[i];
      }
    }
    for (std::int64_t i = 0; i < count; ++i) {
      of_mu[start + i] += sum[i];
      of_rho[start + i] += slopes[start + i] * product[i];
    }
  });
}

double kl_gradient(const at::Tensor& mu, const at::Tensor& sigma, const at::Tensor& slope,
                   const at::Tensor& prior_mean, const KlKernelOptions& options,
                   at::Tensor mu_gradient, at::Tensor rho_gradient) {
  check_positive("prior_sigma", options.prior_sigma);
  check_flat("mu", mu, mu);
  check_flat("sigma", sigma, mu);
  check_flat("the slope of sigma", slope, mu);
  check_flat("the prior mean", prior_mean, mu);
  check_flat("the gradient of mu", mu_gradient, mu);
  check_flat("the gradient of rho", rho_gradient, mu);
  const c10::NoGradGuard no_grad;
  const double precision = 1 / (options.prior_sigma * options.prior_sigma);
  if (!has_kernels(mu)) {
    const at::Tensor distance = mu - prior_mean;
    const at::Tensor t = (sigma / options.prior_sigma).square_();
    mu_gradient.add_(distance, options.weight * precision);
    rho_gradient.addcmul_((sigma * precision).sub_(sigma.reciprocal()), slope, options.weight);
    const at::Tensor twice = distance.square().mul_(precision).add_(t).sub_(1).sub_(t.log());
    return 0.5 * options.weight * twice.sum(at::kDouble).item<double>();
  }
  const float* mus = mu.data_ptr<float>();
  const float* sigmas = sigma.data_ptr<float>();
  const float* slopes = slope.data_ptr<float>();
  const float* priors = prior_mean.data_ptr<float>();
  float* of_mu = mu_gradient.data_ptr<float>();
  float* of_rho = rho_gradient.data_ptr<float>();
  const auto inverse = static_cast<float>(1 / options.prior_sigma);
  const auto weight = static_cast<float>(options.weight);
  // A sum per block, added up in order: the same on any number of threads.
  std::vector<double> sums(static_cast<std::size_t>(mu.numel() / kNormalBlock + 1));
  for_blocks(mu.numel(), [&](std::int64_t start, std::int64_t count) {
    // Results are made in buffers of their own: six that might overlap are too many for compilers.
    float d_mu[kNormalBlock];
    float d_rho[kNormalBlock];
    float twice[kNormalBlock];
    for (std::int64_t i = 0; i < count; ++i) {
      const float distance = (mus[start + i] - priors[start + i]) * inverse;
      const float ratio = sigmas[start + i] * inverse;
      d_mu[i] = distance * inverse;
      d_rho[i] = slopes[start + i] * (ratio * inverse - 1.0F / sigmas[start + i]);
      twice[i] = (distance * distance + ratio * ratio - 1.0F) - 2.0F * log_positive(ratio);
    }
    for (std::int64_t i = 0; i < count; ++i) of_mu[start + i] += weight * d_mu[i];
    for (std::int64_t i = 0; i < count; ++i) of_rho[start + i] += weight * d_rho[i];
    double sum = 0;
    for (std::int64_t i = 0; i < count; ++i) sum += twice[i];
    sums[static_cast<std::size_t>(start / kNormalBlock)] = sum;
  });
  double total = 0;
  for (const double sum : sums) total += sum;
  return 0.5 * options.weight * total;
}

}  // namespace cubcal
