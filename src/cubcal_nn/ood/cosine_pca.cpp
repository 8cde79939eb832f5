#include <ATen/ATen.h>

#include <optional>

#include "cubcal_nn/ood/principal_space.h"
#include "cubcal_nn/ood/registry.h"
#include "cubcal_nn/ood/unit_features.h"

namespace cubcal {

namespace {

/// phi = z / |z|, the smallest number of principal directions that explain a share r of the
/// variance; the score is the norm of what lies off them (Fang et al. 2024, kernel PCA with the
/// cosine kernel).
class CosinePca final : public Detector {
 public:
  explicit CosinePca(const DetectorOptions& options) : Detector("cosine+pca", options) {}

 private:
  std::vector<std::int64_t> dimensions(const DetectorInput& batch) const override {
    return {last_tap(batch).size(1)};
  }
  void take(const DetectorInput& batch, const at::Tensor&) override {
    moments_.add(unit_features(last_tap(batch)));
  }
  void end_pass(int) override {
    space_ = PrincipalSpace::explaining(moments_, options().explained_variance);
    moments_ = {};
  }
  at::Tensor scores(const DetectorInput& batch) const override {
    return space_->residual_norm(unit_features(last_tap(batch)));
  }
  NamedTensors fitted_tensors() const override { return space_->tensors(); }
  void set_fitted_tensors(const NamedTensors& tensors) override {
    space_ = PrincipalSpace::from_tensors(tensors);
  }

  Moments moments_;
  std::optional<PrincipalSpace> space_;
};

}  // namespace

std::unique_ptr<Detector> make_cosine_pca(const DetectorOptions& options) {
  return std::make_unique<CosinePca>(options);
}

}  // namespace cubcal
