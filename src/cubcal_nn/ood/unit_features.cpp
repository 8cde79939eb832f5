#include "cubcal_nn/ood/unit_features.h"

#include <ATen/ATen.h>

namespace cubcal {

at::Tensor unit_features(const at::Tensor& rows) {
  const at::Tensor values = rows.to(at::kDouble);
  return values / values.norm(2, 1, /*keepdim=*/true).clamp_min(1e-12);
}

}  // namespace cubcal
