#include "cubcal_nn/train/sigma_statistics.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cmath>

#include "cubcal_nn/kernels/sigma.h"

namespace cubcal {

SigmaStatistics sigma_statistics(const ParameterStore& store) {
  if (store.variational_size() == 0) return {};
  const c10::NoGradGuard no_grad;
  const at::Tensor sigma = sigma_from_rho(store.rho());
  const at::Tensor values = at::stack({sigma.mean(), sigma.min(), sigma.max(),
                                       sigma.square().mean(), store.mu().square().mean()})
                                .to(at::kCPU, at::kDouble);
  const double* value = values.data_ptr<double>();
  return {value[0], value[1], value[2], std::sqrt(value[3] / std::fmax(value[4], 1e-30))};
}

}  // namespace cubcal
