#include <ATen/ATen.h>

#include "cubcal_nn/ood/mahalanobis_model.h"
#include "cubcal_nn/ood/registry.h"

namespace cubcal {

namespace {

/// Squared Mahalanobis distance of an image's appearance (appearance.h) to one Gaussian of all
/// training images. The first pass finds the scale of each number, so that where the covariance is
/// singular, as that of grey images in three channels is, all are shrunk alike.
class AppearanceDetector final : public Detector {
 public:
  explicit AppearanceDetector(const DetectorOptions& options) : Detector("appearance", options) {}

  int passes() const override { return 2; }

 private:
  /// Below it a number is taken to be constant in the training set.
  static constexpr double kLeastDeviation = 1e-3;

  std::vector<std::int64_t> dimensions(const DetectorInput& batch) const override {
    return {appearance_rows(batch).size(1)};
  }
  void take(const DetectorInput& batch, const at::Tensor& labels) override {
    if (deviation_.defined()) {
      model_.observe(standardised(batch), at::zeros_like(labels));
    } else {
      moments_.add(appearance_rows(batch));
    }
  }
  void end_pass(int pass) override {
    if (pass == 0) {
      mean_ = moments_.mean();
      deviation_ = moments_.covariance().diagonal().clamp_min(0).sqrt().clamp_min(kLeastDeviation);
    } else {
      model_.finish(options().shrinkage, /*background=*/false);
    }
  }
  at::Tensor scores(const DetectorInput& batch) const override {
    return model_.distance(standardised(batch));
  }
  NamedTensors fitted_tensors() const override {
    NamedTensors tensors = model_.tensors("");
    tensors.emplace_back("mean", mean_);
    tensors.emplace_back("deviation", deviation_);
    return tensors;
  }
  void set_fitted_tensors(const NamedTensors& tensors) override {
    model_.set_tensors(tensors, "", /*background=*/false);
    mean_ = entry(tensors, "mean", {-1});
    deviation_ = entry(tensors, "deviation", {mean_.size(0)});
  }

  at::Tensor standardised(const DetectorInput& batch) const {
    return (appearance_rows(batch) - mean_) / deviation_;
  }

  Moments moments_;
  at::Tensor mean_;       ///< [A]
  at::Tensor deviation_;  ///< [A]
  MahalanobisModel model_;
};

}  // namespace

std::unique_ptr<Detector> make_appearance(const DetectorOptions& options) {
  return std::make_unique<AppearanceDetector>(options);
}

}  // namespace cubcal
