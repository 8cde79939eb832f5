#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>

#include "cubcal/core/named_values.h"
#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {

enum class KlReduction {
  kElbo,  ///< sum of all KL / N_train: the true bound per sample
  kMean   ///< sum over tensors of mean(KL) / batch: what Bayesian-Torch does, and so the paper
};

inline constexpr NamedValue<KlReduction> kKlReductions[] = {{"elbo", KlReduction::kElbo},
                                                            {"mean", KlReduction::kMean}};

struct KlOptions {
  KlReduction reduction = KlReduction::kElbo;  ///< a recipe's stage has kMean (run_options.h)
  double weight = 1.0;                         ///< kl_weight, multiplies either reduction
  double prior_sigma = 1.0;  ///< the prior is N(prior_mean, prior_sigma^2), mean held by the store
};

/// What the reductions divide by.
struct KlScale {
  std::int64_t training_samples = 1;  ///< N_train, for `elbo`
  std::int64_t batch = 1;             ///< samples in the batch, for `mean`
};

/// KL(N(mu, sigma^2) || N(prior_mean, prior_sigma^2)) of each element, sigma = softplus(rho):
/// ln(prior_sigma / sigma) + (sigma^2 + (mu - prior_mean)^2) / (2 prior_sigma^2) - 1/2.
/// 0 where the two agree (paper, Eq. elbo_loss, variational_gaussian). This is the formula written
/// out, which tests hold the others against: training takes value and gradient together, from
/// kernels/weight_kernels.cpp on a CPU and kernels/fused_formula.h on a GPU.
at::Tensor kl_elements(const at::Tensor& mu, const at::Tensor& rho, const at::Tensor& prior_mean,
                       double prior_sigma);

/// What the KL of each element of a parameter tensor of `size` elements is multiplied by.
double kl_element_weight(const KlOptions& options, const KlScale& scale, std::int64_t size);

/// The weighted KL term of the loss, as the options reduce it.
double kl_term(const ParameterStore& store, const KlOptions& options, const KlScale& scale);

/// The same value, and its gradient added to the store's mu and rho gradients (closed form, once
/// per step). The result is a float64 scalar tensor on the store's device.
at::Tensor add_kl_gradient(ParameterStore& store, const KlOptions& options, const KlScale& scale);

/// One sentence for the start of training, for example "KL term: sum over 21,284,672 Gaussian
/// weights / 2,930 training samples x kl_weight 1 (elbo), so each nat of KL weighs 0.000341297".
std::string describe_kl_weight(const ParameterStore& store, const KlOptions& options,
                               const KlScale& scale);

}  // namespace cubcal
