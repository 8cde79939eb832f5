#include "cubcal_nn/kernels/sigma.h"

#include <ATen/ATen.h>

namespace cubcal {

namespace {

// Beyond the threshold the result is rho itself; at 40 the difference is below double rounding.
constexpr double kThreshold = 40;

}  // namespace

at::Tensor sigma_from_rho(const at::Tensor& rho) { return at::softplus(rho, 1, kThreshold); }

void sigma_from_rho(const at::Tensor& rho, at::Tensor& sigma) {
  at::softplus_out(sigma, rho, 1, kThreshold);
}

at::Tensor rho_from_sigma(const at::Tensor& sigma) { return sigma + at::log(-at::expm1(-sigma)); }

}  // namespace cubcal
