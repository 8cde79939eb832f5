#include "cubcal/bayes/sigma.h"

#include <ATen/ATen.h>

namespace cubcal {

at::Tensor sigma_from_rho(const at::Tensor& rho) {
  // Beyond the threshold the result is rho itself; at 40 the difference is below double rounding.
  return at::softplus(rho, /*beta=*/1, /*threshold=*/40);
}

at::Tensor rho_from_sigma(const at::Tensor& sigma) { return sigma + at::log(-at::expm1(-sigma)); }

}  // namespace cubcal
