#include "cubcal_nn/ood/moments.h"

#include <ATen/ATen.h>

namespace cubcal {

namespace {

constexpr std::int64_t kWholeProduct = 256;  ///< columns up to which halving gains nothing

/// Writes rows^T rows into `product`: the halves on the diagonal by halves again and one of the two
/// beside it, which takes little more than half the multiplications.
void symmetric_product(const at::Tensor& rows, at::Tensor product) {
  const std::int64_t columns = rows.size(1);
  if (columns <= kWholeProduct) {
    at::mm_out(product, rows.t(), rows);
    return;
  }
  const std::int64_t half = columns / 2;
  const std::int64_t rest = columns - half;
  const at::Tensor left = rows.narrow(1, 0, half);
  const at::Tensor right = rows.narrow(1, half, rest);
  symmetric_product(left, product.narrow(0, 0, half).narrow(1, 0, half));
  symmetric_product(right, product.narrow(0, half, rest).narrow(1, half, rest));
  const at::Tensor across = at::mm(left.t(), right);
  product.narrow(0, 0, half).narrow(1, half, rest).copy_(across);
  product.narrow(0, half, rest).narrow(1, 0, half).copy_(across.t());
}

}  // namespace

void Moments::add(const at::Tensor& rows) {
  if (rows.size(0) == 0) return;
  const at::Tensor values = rows.to(at::kDouble);
  Moments batch;
  batch.count_ = values.size(0);
  batch.mean_ = values.mean(0);
  const at::Tensor centred = values - batch.mean_;
  batch.scatter_ = at::empty({values.size(1), values.size(1)}, values.options());
  symmetric_product(centred, batch.scatter_);
  merge(batch);
}

void Moments::merge(const Moments& other) {
  if (other.count_ == 0) return;
  if (count_ == 0) {
    *this = other;
    return;
  }
  const double own = static_cast<double>(count_);
  const double added = static_cast<double>(other.count_);
  const at::Tensor shift = other.mean_ - mean_;
  mean_ = mean_ + shift * (added / (own + added));
  scatter_ = (scatter_ + other.scatter_).addr_(shift, shift, 1.0, own * added / (own + added));
  count_ += other.count_;
}

at::Tensor Moments::covariance() const { return scatter_ / static_cast<double>(count_); }

void ClassMoments::add(const at::Tensor& rows, const at::Tensor& labels) {
  if (rows.size(0) == 0) return;
  const at::Tensor values = rows.to(at::kDouble);
  all_.add(values);
  if (!origin_.defined()) {
    origin_ = values.mean(0);
    counts_ = at::zeros({0}, values.options());
    sums_ = at::zeros({0, values.size(1)}, values.options());
  }
  const std::int64_t classes = labels.max().item<std::int64_t>() + 1;
  if (classes > counts_.size(0)) {
    const std::int64_t more = classes - counts_.size(0);
    counts_ = at::cat({counts_, at::zeros({more}, counts_.options())});
    sums_ = at::cat({sums_, at::zeros({more, values.size(1)}, sums_.options())});
  }
  counts_.index_add_(0, labels, at::ones({labels.size(0)}, counts_.options()));
  sums_.index_add_(0, labels, values - origin_);
}

at::Tensor ClassMoments::present() const { return at::nonzero(counts_ > 0).squeeze(1); }

at::Tensor ClassMoments::class_means() const {
  const at::Tensor classes = present();
  return origin_ + sums_.index_select(0, classes) / counts_.index_select(0, classes).unsqueeze(1);
}

at::Tensor ClassMoments::within_covariance() const {
  const at::Tensor weights = counts_.index_select(0, present()).sqrt().unsqueeze(1);
  const at::Tensor between = (class_means() - all_.mean()) * weights;
  return (all_.scatter() - at::mm(between.t(), between)) / static_cast<double>(all_.count());
}

}  // namespace cubcal
