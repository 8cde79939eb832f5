#include "cubcal_nn/ood/mahalanobis_model.h"

#include <ATen/ATen.h>

namespace cubcal {

void MahalanobisModel::finish(std::optional<double> shrinkage, bool background) {
  const Moments& all = moments_.all();
  const at::Tensor covariance = all.covariance();
  const at::Tensor variance = covariance.diagonal();
  const at::Tensor mean_square = variance + all.mean().square();
  class_means_ = moments_.class_means();
  within_ = Gaussian(moments_.within_covariance(), variance, mean_square, all.count(), shrinkage);
  if (background) {
    mean_ = all.mean().unsqueeze(0);
    background_ = Gaussian(covariance, variance, mean_square, all.count(), shrinkage);
  }
  moments_ = {};
}

at::Tensor MahalanobisModel::distance(const at::Tensor& rows) const {
  return within_.squared_distances(rows.to(at::kDouble), class_means_).amin(1);
}

at::Tensor MahalanobisModel::relative_distance(const at::Tensor& rows) const {
  return distance(rows) - background_.squared_distances(rows.to(at::kDouble), mean_).squeeze(1);
}

NamedTensors MahalanobisModel::tensors(const std::string& prefix) const {
  NamedTensors tensors{{prefix + "class_means", class_means_},
                       {prefix + "within_factor", within_.factor()}};
  if (mean_.defined()) {
    tensors.emplace_back(prefix + "mean", mean_);
    tensors.emplace_back(prefix + "background_factor", background_.factor());
  }
  return tensors;
}

void MahalanobisModel::set_tensors(const NamedTensors& tensors, const std::string& prefix,
                                   bool background) {
  class_means_ = entry(tensors, prefix + "class_means", {-1, -1});
  const std::int64_t dimension = class_means_.size(1);
  within_ = Gaussian(entry(tensors, prefix + "within_factor", {dimension, dimension}));
  if (background) {
    mean_ = entry(tensors, prefix + "mean", {1, dimension});
    background_ = Gaussian(entry(tensors, prefix + "background_factor", {dimension, dimension}));
  }
}

}  // namespace cubcal
