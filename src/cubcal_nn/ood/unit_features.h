#pragma once

#include <ATen/core/Tensor.h>

namespace cubcal {

/// phi = z / |z| of every row, in double; a row of zeros stays one.
at::Tensor unit_features(const at::Tensor& rows);

}  // namespace cubcal
