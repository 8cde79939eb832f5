#include <ATen/ATen.h>

#include <optional>

#include "cubcal_nn/ood/fourier_features.h"
#include "cubcal_nn/ood/principal_space.h"
#include "cubcal_nn/ood/registry.h"
#include "cubcal_nn/ood/unit_features.h"

namespace cubcal {

namespace {

/// As cosine+pca after random Fourier features of phi, M = 4 D of them (Fang et al. 2024, the
/// cosine and Gaussian kernels one after the other).
class CosineRffPca final : public Detector {
 public:
  explicit CosineRffPca(const DetectorOptions& options) : Detector("cosine+rff+pca", options) {}

 private:
  std::vector<std::int64_t> dimensions(const DetectorInput& batch) const override {
    return {last_tap(batch).size(1)};
  }
  void take(const DetectorInput& batch, const at::Tensor&) override {
    const at::Tensor& rows = last_tap(batch);
    if (!fourier_.ready()) fourier_ = make_fourier(rows.size(1), rows.device());
    moments_.add(fourier_(unit_features(rows)));
  }
  void end_pass(int) override {
    space_ = PrincipalSpace::explaining(moments_, options().explained_variance);
    moments_ = {};
  }
  at::Tensor scores(const DetectorInput& batch) const override {
    return space_->residual_norm(fourier_(unit_features(last_tap(batch))));
  }
  NamedTensors fitted_tensors() const override { return space_->tensors(); }
  void set_fitted_tensors(const NamedTensors& tensors) override {
    const auto dimension = static_cast<std::int64_t>(number_entry(tensors, "dimensions"));
    space_ = PrincipalSpace::from_tensors(tensors);
    const at::Tensor mean = entry(tensors, "mean", {options().fourier_per_feature * dimension});
    fourier_ = make_fourier(dimension, mean.device());
  }

  FourierFeatures make_fourier(std::int64_t dimension, c10::Device device) const {
    return {dimension, options().fourier_per_feature * dimension, options().kernel_gamma,
            options().seed, device};
  }

  FourierFeatures fourier_;
  Moments moments_;
  std::optional<PrincipalSpace> space_;
};

}  // namespace

std::unique_ptr<Detector> make_cosine_rff_pca(const DetectorOptions& options) {
  return std::make_unique<CosineRffPca>(options);
}

}  // namespace cubcal
