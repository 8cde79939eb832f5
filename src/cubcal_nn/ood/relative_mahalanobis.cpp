#include "cubcal_nn/ood/mahalanobis_model.h"
#include "cubcal_nn/ood/registry.h"

namespace cubcal {

namespace {

/// Mahalanobis distance to the nearest class, less that to all of the data (Ren et al. 2021): what
/// is odd about an image in ways that have nothing to do with the classes cancels.
class RelativeMahalanobis final : public Detector {
 public:
  explicit RelativeMahalanobis(const DetectorOptions& options)
      : Detector("relative-mahalanobis", options) {}

 private:
  std::vector<std::int64_t> dimensions(const DetectorInput& batch) const override {
    return {last_tap(batch).size(1)};
  }
  void take(const DetectorInput& batch, const at::Tensor& labels) override {
    model_.observe(last_tap(batch), labels);
  }
  void end_pass(int) override { model_.finish(options().shrinkage, /*background=*/true); }
  at::Tensor scores(const DetectorInput& batch) const override {
    return model_.relative_distance(last_tap(batch));
  }
  NamedTensors fitted_tensors() const override { return model_.tensors(""); }
  void set_fitted_tensors(const NamedTensors& tensors) override {
    model_.set_tensors(tensors, "", /*background=*/true);
  }

  MahalanobisModel model_;
};

}  // namespace

std::unique_ptr<Detector> make_relative_mahalanobis(const DetectorOptions& options) {
  return std::make_unique<RelativeMahalanobis>(options);
}

}  // namespace cubcal
