#include "cubcal_nn/ood/perturbation.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "cubcal/core/check.h"

namespace cubcal {

Perturbation::Perturbation(Network& network, const Preprocessing& preprocessing,
                           const Detector& base, std::int64_t batch)
    : network_(network), preprocessing_(preprocessing), base_(base), batch_(batch) {
  check_at_least("the batch size", static_cast<double>(batch), 1);
  if (!base.fitted()) throw ArgumentError("perturbation needs a base detector that is fitted");
}

at::Tensor Perturbation::base_scores(const at::Tensor& inputs) const {
  Features features;
  DetectorInput seen;
  seen.logits = network_.forward(inputs, network_.mean_context(), &features);
  seen.taps = std::move(features.taps);
  return base_.score(seen);
}

std::pair<at::Tensor, at::Tensor> Perturbation::step(const at::Tensor& images,
                                                     std::int64_t first) const {
  const std::int64_t count = std::min(batch_, images.size(0) - first);
  const c10::AutoGradMode recording(true);
  at::Tensor inputs =
      preprocess(images.narrow(0, first, count).to(network_.options().device), preprocessing_)
          .detach()
          .requires_grad_(true);
  const std::vector<at::Tensor> with_respect_to{inputs};
  // Images do not see each other, so the gradient of the sum is that of each.
  base_scores(inputs).sum().backward({}, /*retain_graph=*/false, /*create_graph=*/false,
                                     at::TensorList(with_respect_to));
  const at::Tensor deviation =
      at::tensor(preprocessing_.standard_deviation, inputs.options().requires_grad(false))
          .view({1, -1, 1, 1});
  return {inputs.detach(), inputs.grad().sign() / deviation};
}

std::vector<double> Perturbation::score(const at::Tensor& images, double epsilon) const {
  std::vector<double> result;
  for (std::int64_t first = 0; first < images.size(0); first += batch_) {
    const auto [inputs, direction] = step(images, first);
    const c10::NoGradGuard no_grad;
    const at::Tensor scores = base_scores(inputs - epsilon * direction).cpu().contiguous();
    const auto* values = scores.data_ptr<double>();
    result.insert(result.end(), values, values + scores.numel());
  }
  return result;
}

double Perturbation::choose_epsilon(const at::Tensor& images,
                                    const std::vector<double>& epsilons) const {
  if (epsilons.empty()) throw ArgumentError("there is no epsilon to choose from");
  std::vector<double> sums(epsilons.size(), 0.0);
  for (std::int64_t first = 0; first < images.size(0); first += batch_) {
    const auto [inputs, direction] = step(images, first);
    const c10::NoGradGuard no_grad;
    for (std::size_t e = 0; e < epsilons.size(); ++e) {
      sums[e] += base_scores(inputs - epsilons[e] * direction).sum().item<double>();
    }
  }
  return epsilons[static_cast<std::size_t>(std::min_element(sums.begin(), sums.end()) -
                                           sums.begin())];
}

const std::vector<double>& default_epsilons() {
  static const std::vector<double> epsilons = {0.0005, 0.001, 0.0014, 0.002, 0.005, 0.01};
  return epsilons;
}

}  // namespace cubcal
