#pragma once

#include <ATen/ATen.h>

#include <vector>

#include "cubcal_nn/bayes/kl.h"
#include "cubcal_nn/losses/avuc_loss.h"
#include "cubcal_nn/losses/cross_entropy.h"
#include "cubcal_nn/losses/cub_loss.h"
#include "cubcal_nn/models/network.h"

namespace cubcal::testing_models {

/// Every term a training step can have.
inline at::Tensor data_terms(const at::Tensor& logits, const at::Tensor& labels) {
  const MeanPrediction prediction = mean_prediction(logits);
  return expected_cross_entropy(logits, labels) + 0.3 * cub_loss(prediction, labels, {0.6}) +
         0.2 * avuc_loss(prediction, labels, 0.9);
}

/// One step as training does it: loss and all gradients, for weights drawn already.
inline double training_step(Network& network, WeightPasses& passes, const at::Tensor& images,
                            const at::Tensor& labels, const KlOptions& kl, const KlScale& scale) {
  std::vector<at::Tensor> logits;
  for (std::size_t s = 0; s < passes.slots(); ++s) {
    logits.push_back(network.forward(images, network.context(passes, s, true)));
  }
  at::Tensor z = at::stack(logits).detach().set_requires_grad(true);
  const at::Tensor loss = data_terms(z, labels);
  loss.backward();
  network.parameters().zero_gradients();
  passes.backward(logits, z.grad());
  const double kl_value = add_kl_gradient(network.parameters(), kl, scale).item<double>();
  return loss.item<double>() + kl_value;
}

}  // namespace cubcal::testing_models
