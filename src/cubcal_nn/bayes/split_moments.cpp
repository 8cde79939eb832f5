#include "cubcal_nn/bayes/split_moments.h"

#include <ATen/ATen.h>
#include <ATen/Dispatch.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>

#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {

namespace {

double values_per_channel(const at::Tensor& x) {
  return static_cast<double>(x.numel()) / static_cast<double>(x.size(1));
}

/// Mean, variance, unbiased variance and scale, a row each, to those of the type of x.
WholeMoments rows_of(const at::Tensor& moments, c10::ScalarType type, double count) {
  const at::Tensor typed = moments.to(type);
  return {typed[0], typed[1], typed[2], typed[3], count};
}

/// Parts are weighed by how much they hold: they may differ by an image.
WholeMoments moments_by_loops(const at::Tensor& x, const at::Tensor& own_moments,
                              const AddUp& add_up) {
  const std::int64_t channels = x.size(1);
  const double own = values_per_channel(x);
  const double* means = own_moments.data_ptr<double>();
  const double* variances = means + channels;
  const at::Tensor sums = at::empty({2 * channels + 1}, at::kDouble);
  double* sum = sums.data_ptr<double>();
  for (std::int64_t c = 0; c < channels; ++c) {
    sum[c] = own * means[c];
    sum[channels + c] = own * (variances[c] + means[c] * means[c]);
  }
  sum[2 * channels] = own;
  add_up(sums);
  const double count = sum[2 * channels];
  const at::Tensor moments = at::empty({4, channels}, at::kDouble);
  double* row = moments.data_ptr<double>();
  for (std::int64_t c = 0; c < channels; ++c) {
    const double mean = sum[c] / count;
    const double variance = std::max(0.0, sum[channels + c] / count - mean * mean);
    row[c] = mean;
    row[channels + c] = variance;
    row[2 * channels + c] = variance * (count / (count - 1));
    row[3 * channels + c] = 1 / std::sqrt(variance + kNormEpsilon);
  }
  return rows_of(moments, x.scalar_type(), count);
}

WholeMoments moments_by_tensors(const at::Tensor& x, const at::Tensor& own_moments,
                                const AddUp& add_up) {
  const std::int64_t channels = x.size(1);
  const double own = values_per_channel(x);
  const at::Tensor own_mean = own_moments.narrow(0, 0, channels);
  const at::Tensor own_square = own_moments.narrow(0, channels, channels) + own_mean.square();
  const at::Tensor sums =
      at::cat({own_mean * own, own_square * own, at::full({1}, own, own_mean.options())});
  add_up(sums);
  const double count = sums[2 * channels].item<double>();
  const at::Tensor mean = sums.narrow(0, 0, channels) / count;
  const at::Tensor variance =
      (sums.narrow(0, channels, channels) / count - mean.square()).clamp_min(0);
  return rows_of(at::stack({mean, variance, variance * (count / (count - 1)),
                            (variance + kNormEpsilon).rsqrt()}),
                 x.scalar_type(), count);
}

/// One walk over memory; ATen's own takes no statistics of others.
template <class Number>
void go_back_by_loops(const at::Tensor& dy, const at::Tensor& x, const WholeSlopes& whole,
                      const at::Tensor& dx) {
  constexpr std::int64_t kValuesOfAThread = 1 << 15;
  const std::int64_t channels = x.size(1);
  const std::int64_t plane = x.size(2) * x.size(3);
  const Number* dys = dy.data_ptr<Number>();
  const Number* xs = x.data_ptr<Number>();
  Number* dxs = dx.data_ptr<Number>();
  const Number* weights = whole.weight.data_ptr<Number>();
  const Number* means = whole.mean.data_ptr<Number>();
  const Number* scales = whole.scale.data_ptr<Number>();
  const double* sums = whole.sums.data_ptr<double>();
  const auto planes = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const std::int64_t c = i % channels;
      const Number mean = means[c];
      const Number slope = weights[c] * scales[c];
      const Number tilt = -slope * scales[c] * static_cast<Number>(sums[c] / whole.count);
      const Number shift = -slope * static_cast<Number>(sums[channels + c] / whole.count);
      const Number* from = dys + i * plane;
      const Number* given = xs + i * plane;
      Number* to = dxs + i * plane;
      for (std::int64_t k = 0; k < plane; ++k) {
        to[k] = slope * from[k] + (tilt * (given[k] - mean) + shift);
      }
    }
  };
  at::parallel_for(0, x.size(0) * channels, std::max<std::int64_t>(1, kValuesOfAThread / plane),
                   planes);
}

at::Tensor go_back_by_tensors(const at::Tensor& dy, const at::Tensor& x, const WholeSlopes& whole) {
  const auto wide = [](const at::Tensor& values) { return values.view({1, -1, 1, 1}); };
  const std::int64_t channels = x.size(1);
  const at::Tensor means = (whole.sums / whole.count).to(x.scalar_type());
  const at::Tensor slope = whole.weight * whole.scale;
  return (x - wide(whole.mean))
      .mul_(wide(-slope * whole.scale * means.narrow(0, 0, channels)))
      .add_(wide(-slope * means.narrow(0, channels, channels)))
      .addcmul_(dy, wide(slope));
}

}  // namespace

WholeMoments whole_moments(const at::Tensor& x, const AddUp& add_up) {
  const auto [mean, variance] = at::batch_norm_update_stats(x, {}, {}, 0);
  const at::Tensor own = at::cat({mean, variance}).to(at::kDouble);
  return x.is_cpu() ? moments_by_loops(x, own, add_up) : moments_by_tensors(x, own, add_up);
}

at::Tensor through_split_norm(const at::Tensor& dy, const at::Tensor& x, const WholeSlopes& whole) {
  if (!x.is_cpu() || !x.is_contiguous() || !dy.is_contiguous()) {
    return go_back_by_tensors(dy, x, whole);
  }
  const at::Tensor dx = at::empty_like(x);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "split_batch_norm",
                             [&] { go_back_by_loops<scalar_t>(dy, x, whole, dx); });
  return dx;
}

}  // namespace cubcal
