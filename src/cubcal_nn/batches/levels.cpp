#include "cubcal_nn/batches/levels.h"

#include <ATen/ATen.h>

namespace cubcal {

namespace {

constexpr std::int64_t kDeepest = 65535;

}  // namespace

bool holds_levels(const at::Tensor& images) {
  return images.defined() &&
         (images.scalar_type() == at::kByte || images.scalar_type() == at::kShort);
}

std::int64_t largest_level(const at::Tensor& images) {
  return images.scalar_type() == at::kShort ? kDeepest : 255;
}

at::Tensor levels_as_float(const at::Tensor& images) {
  if (images.scalar_type() != at::kShort) return images.to(at::kFloat);
  return images.to(at::kInt).bitwise_and_(kDeepest).to(at::kFloat);
}

at::Tensor float_as_levels(const at::Tensor& values, std::int64_t largest) {
  const at::Tensor rounded = values.round().clamp_(0, static_cast<double>(largest));
  if (largest != kDeepest) return rounded.to(at::kByte);
  const at::Tensor whole = rounded.to(at::kInt);
  return at::where(whole > 32767, whole - 65536, whole).to(at::kShort);
}

}  // namespace cubcal
