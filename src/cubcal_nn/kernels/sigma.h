#pragma once

#include <ATen/core/Tensor.h>

/// The map between the free parameter rho and the standard deviation sigma of a Gaussian weight.
namespace cubcal {

/// sigma = softplus(rho) = log(1 + exp(rho)) in the form that never overflows, keeps full relative
/// precision for rho << 0, and is the identity (to rounding) for rho >> 0.
at::Tensor sigma_from_rho(const at::Tensor& rho);
/// The same into memory that is there.
void sigma_from_rho(const at::Tensor& rho, at::Tensor& sigma);

/// The rho with softplus(rho) = sigma, for sigma > 0: sigma + log(1 - exp(-sigma)), in a form that
/// keeps precision for small and for large sigma.
at::Tensor rho_from_sigma(const at::Tensor& sigma);

}  // namespace cubcal
