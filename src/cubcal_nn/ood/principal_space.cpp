#include "cubcal_nn/ood/principal_space.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal_nn/ood/detector.h"

namespace cubcal {

namespace {

struct Spectrum {
  at::Tensor values;   ///< rising
  at::Tensor vectors;  ///< [D, D], a column each
};

Spectrum spectrum_of(const Moments& moments) {
  if (moments.dimension() < 2) {
    throw DataError("principal directions need at least two features, not one");
  }
  auto [values, vectors] = at::linalg_eigh(moments.covariance());
  return {values.clamp_min(0), vectors};
}

}  // namespace

PrincipalSpace PrincipalSpace::largest(const Moments& moments, const at::Tensor& vectors,
                                       std::int64_t directions) {
  const std::int64_t dimension = moments.dimension();
  PrincipalSpace space;
  space.mean_ = moments.mean();
  space.complement_ = 2 * directions > dimension;
  space.basis_ = space.complement_
                     ? vectors.narrow(1, 0, dimension - directions).contiguous()
                     : vectors.narrow(1, dimension - directions, directions).contiguous();
  return space;
}

PrincipalSpace PrincipalSpace::explaining(const Moments& moments, double share) {
  const Spectrum spectrum = spectrum_of(moments);
  const at::Tensor falling = spectrum.values.flip(0);
  const double total = falling.sum().item<double>();
  if (!(total > 0)) {
    throw DataError("principal directions need features that vary, and those of all " +
                    std::to_string(moments.count()) + " training samples are the same");
  }
  const at::Tensor below = falling.cumsum(0) < share * total;
  const std::int64_t directions = below.sum().item<std::int64_t>() + 1;
  return largest(moments, spectrum.vectors, std::min(directions, moments.dimension() - 1));
}

PrincipalSpace PrincipalSpace::of_dimension(const Moments& moments, std::int64_t directions) {
  return largest(moments, spectrum_of(moments).vectors, directions);
}

at::Tensor PrincipalSpace::residual_norm(const at::Tensor& rows) const {
  const at::Tensor centred = rows.to(at::kDouble) - mean_;
  const at::Tensor along = at::mm(centred, basis_).square().sum(1);
  if (complement_) return along.sqrt();
  return (centred.square().sum(1) - along).clamp_min(0).sqrt();
}

std::int64_t PrincipalSpace::directions() const {
  return complement_ ? basis_.size(0) - basis_.size(1) : basis_.size(1);
}

NamedTensors PrincipalSpace::tensors() const {
  return {{"mean", mean_}, {complement_ ? "complement" : "directions", basis_}};
}

PrincipalSpace PrincipalSpace::from_tensors(const NamedTensors& tensors) {
  PrincipalSpace space;
  space.mean_ = entry(tensors, "mean", {-1});
  space.complement_ = std::any_of(tensors.begin(), tensors.end(),
                                  [](const auto& each) { return each.first == "complement"; });
  space.basis_ =
      entry(tensors, space.complement_ ? "complement" : "directions", {space.mean_.size(0), -1});
  return space;
}

}  // namespace cubcal
