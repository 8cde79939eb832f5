#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "cubcal_nn/batches/preprocessing.h"
#include "cubcal_nn/models/network.h"
#include "cubcal_nn/ood/detector.h"

namespace cubcal {

/// Input perturbation (Liang et al. 2018): a small step of the image against the gradient of its
/// score,
///   x' = x - epsilon sign(grad_x score(x)) / std,
/// with x the standardised image and std that of its channel, so that epsilon counts in the range
/// [0, 1] of the pixels; the score of x' is the result. ID images give way more than others do.
///
/// Everything is at mean weights, features and gradient alike, and the base detector must have been
/// fitted on features at mean weights.
class Perturbation {
 public:
  /// All must outlive this object. `batch` images at a time.
  Perturbation(Network& network, const Preprocessing& preprocessing, const Detector& base,
               std::int64_t batch = 128);

  /// images: levels [N, C, H, W], as McEngine takes them.
  std::vector<double> score(const at::Tensor& images, double epsilon) const;

  /// The epsilon under which the images' mean score is lowest, the first of equals: images are ID
  /// validation images and no OOD image is needed (the criterion of Hsu et al. 2020).
  double choose_epsilon(const at::Tensor& images, const std::vector<double>& epsilons) const;

 private:
  at::Tensor base_scores(const at::Tensor& inputs) const;
  /// Inputs of a batch, and the direction to step in for epsilon = 1.
  std::pair<at::Tensor, at::Tensor> step(const at::Tensor& images, std::int64_t first) const;

  Network& network_;
  const Preprocessing& preprocessing_;
  const Detector& base_;
  std::int64_t batch_;
};

/// {0.0005, 0.001, 0.0014, 0.002, 0.005, 0.01}
const std::vector<double>& default_epsilons();

}  // namespace cubcal
