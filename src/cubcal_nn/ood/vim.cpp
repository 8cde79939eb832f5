#include <ATen/ATen.h>

#include <algorithm>
#include <optional>

#include "cubcal/core/error.h"
#include "cubcal_nn/ood/principal_space.h"
#include "cubcal_nn/ood/registry.h"

namespace cubcal {

namespace {

/// Virtual-logit matching (Wang et al. 2022): alpha |residual of z off the principal space| less
/// logsumexp of the logits, with alpha = mean largest logit / mean residual over the training set,
/// which the second pass finds; it is 0 where that mean is negative.
/// Departure: the principal space lies around the mean of the training features, not around the
/// point where the last layer gives logits of 0, since a Bayesian layer has no single such point.
class Vim final : public Detector {
 public:
  explicit Vim(const DetectorOptions& options) : Detector("vim", options) {}

  int passes() const override { return 2; }

 private:
  std::vector<std::int64_t> dimensions(const DetectorInput& batch) const override {
    if (!batch.logits.defined()) {
      throw DataError("the detector 'vim' needs the network's logits beside its features");
    }
    return {last_tap(batch).size(1), batch.logits.size(1)};
  }

  void take(const DetectorInput& batch, const at::Tensor&) override {
    if (!space_) {
      moments_.add(last_tap(batch));
      return;
    }
    sum_of_largest_ += batch.logits.to(at::kDouble).amax(1).sum().item<double>();
    sum_of_residuals_ += space_->residual_norm(last_tap(batch)).sum().item<double>();
  }

  void end_pass(int pass) override {
    if (pass == 0) {
      space_ = PrincipalSpace::of_dimension(moments_, principal_dimension(moments_.dimension()));
      moments_ = {};
    } else if (sum_of_residuals_ > 0) {
      alpha_ = std::max(0.0, sum_of_largest_ / sum_of_residuals_);
    }
  }

  at::Tensor scores(const DetectorInput& batch) const override {
    return alpha_ * space_->residual_norm(last_tap(batch)) -
           at::logsumexp(batch.logits.to(at::kDouble), {1});
  }

  NamedTensors fitted_tensors() const override {
    NamedTensors tensors = space_->tensors();
    tensors.emplace_back("alpha", number_tensor(alpha_));
    return tensors;
  }
  void set_fitted_tensors(const NamedTensors& tensors) override {
    space_ = PrincipalSpace::from_tensors(tensors);
    alpha_ = number_entry(tensors, "alpha");
  }

  std::int64_t principal_dimension(std::int64_t dimension) const {
    const std::int64_t asked = options().principal_dimension;
    if (asked >= dimension) {
      throw ArgumentError("the principal dimension must be below the number of features, " +
                          std::to_string(dimension) + ", not " + std::to_string(asked));
    }
    if (asked > 0) return asked;
    if (dimension >= 2048) return 1000;
    return dimension >= 768 ? 512 : dimension / 2;
  }

  Moments moments_;
  std::optional<PrincipalSpace> space_;
  double sum_of_largest_ = 0;
  double sum_of_residuals_ = 0;
  double alpha_ = 0;
};

}  // namespace

std::unique_ptr<Detector> make_vim(const DetectorOptions& options) {
  return std::make_unique<Vim>(options);
}

}  // namespace cubcal
