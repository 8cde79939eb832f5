#include "cubcal_nn/ood/mahalanobis_model.h"
#include "cubcal_nn/ood/registry.h"

namespace cubcal {

namespace {

/// Squared Mahalanobis distance to the nearest class mean (Lee et al. 2018).
class Mahalanobis final : public Detector {
 public:
  explicit Mahalanobis(const DetectorOptions& options) : Detector("mahalanobis", options) {}

 private:
  std::vector<std::int64_t> dimensions(const DetectorInput& batch) const override {
    return {last_tap(batch).size(1)};
  }
  void take(const DetectorInput& batch, const at::Tensor& labels) override {
    model_.observe(last_tap(batch), labels);
  }
  void end_pass(int) override { model_.finish(options().shrinkage, /*background=*/false); }
  at::Tensor scores(const DetectorInput& batch) const override {
    return model_.distance(last_tap(batch));
  }
  NamedTensors fitted_tensors() const override { return model_.tensors(""); }
  void set_fitted_tensors(const NamedTensors& tensors) override {
    model_.set_tensors(tensors, "", /*background=*/false);
  }

  MahalanobisModel model_;
};

}  // namespace

std::unique_ptr<Detector> make_mahalanobis(const DetectorOptions& options) {
  return std::make_unique<Mahalanobis>(options);
}

}  // namespace cubcal
