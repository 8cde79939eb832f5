#include <ATen/ATen.h>

#include "cubcal_nn/ood/mahalanobis_model.h"
#include "cubcal_nn/ood/registry.h"

namespace cubcal {

namespace {

/// Mean and standard deviation of a layer's scores over the training set.
class ScoreMoments {
 public:
  void add(const at::Tensor& scores) { moments_.add(scores.unsqueeze(1)); }
  void finish() {
    mean_ = moments_.mean();
    const at::Tensor deviation = moments_.covariance().squeeze(0).clamp_min(0).sqrt();
    // A layer whose scores do not vary says nothing: it adds its difference as it is.
    deviation_ = at::where(deviation > 0, deviation, at::ones_like(deviation));
  }
  at::Tensor z_scores(const at::Tensor& scores) const { return (scores - mean_) / deviation_; }

  NamedTensors tensors(const std::string& prefix) const {
    return {{prefix + "score_mean", mean_}, {prefix + "score_deviation", deviation_}};
  }
  void set_tensors(const NamedTensors& tensors, const std::string& prefix) {
    mean_ = entry(tensors, prefix + "score_mean", {1});
    deviation_ = entry(tensors, prefix + "score_deviation", {1});
  }

 private:
  Moments moments_;
  at::Tensor mean_;
  at::Tensor deviation_;
};

struct Layer {
  MahalanobisModel model;
  ScoreMoments scores;
};

/// Relative Mahalanobis distance of every tap as a z-score over the training set, summed. The first
/// pass fits the layers, the second one sees their scores.
class RelativeMahalanobisMulti final : public Detector {
 public:
  explicit RelativeMahalanobisMulti(const DetectorOptions& options)
      : Detector("relative-mahalanobis-multi", options) {}

  int passes() const override { return 2; }

 private:
  std::vector<std::int64_t> dimensions(const DetectorInput& batch) const override {
    std::vector<std::int64_t> all;
    for (const at::Tensor& tap : batch.taps) all.push_back(tap.size(1));
    return all;
  }
  void take(const DetectorInput& batch, const at::Tensor& labels) override {
    if (layers_.empty()) layers_ = std::vector<Layer>(batch.taps.size());
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      if (models_finished_) {
        layers_[i].scores.add(layers_[i].model.relative_distance(batch.taps[i]));
      } else {
        layers_[i].model.observe(batch.taps[i], labels);
      }
    }
  }
  void end_pass(int pass) override {
    for (Layer& layer : layers_) {
      if (pass == 0) {
        layer.model.finish(options().shrinkage, /*background=*/true);
      } else {
        layer.scores.finish();
      }
    }
    models_finished_ = true;
  }
  at::Tensor scores(const DetectorInput& batch) const override {
    at::Tensor sum;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      const at::Tensor z =
          layers_[i].scores.z_scores(layers_[i].model.relative_distance(batch.taps[i]));
      sum = sum.defined() ? sum + z : z;
    }
    return sum;
  }
  NamedTensors fitted_tensors() const override {
    NamedTensors all;
    for (std::size_t i = 0; i < layers_.size(); ++i) {
      for (auto& each : layers_[i].model.tensors(prefix(i))) all.push_back(std::move(each));
      for (auto& each : layers_[i].scores.tensors(prefix(i))) all.push_back(std::move(each));
    }
    return all;
  }
  void set_fitted_tensors(const NamedTensors& tensors) override {
    const auto count = static_cast<std::size_t>(entry(tensors, "dimensions", {-1}).size(0));
    layers_ = std::vector<Layer>(count);
    for (std::size_t i = 0; i < count; ++i) {
      layers_[i].model.set_tensors(tensors, prefix(i), /*background=*/true);
      layers_[i].scores.set_tensors(tensors, prefix(i));
    }
    models_finished_ = true;
  }

  static std::string prefix(std::size_t layer) { return "layer" + std::to_string(layer) + "."; }

  std::vector<Layer> layers_;
  bool models_finished_ = false;
};

}  // namespace

std::unique_ptr<Detector> make_relative_mahalanobis_multi(const DetectorOptions& options) {
  return std::make_unique<RelativeMahalanobisMulti>(options);
}

}  // namespace cubcal
