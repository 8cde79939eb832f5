#include "cubcal_nn/losses/cross_entropy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "losses/finite_differences.h"

namespace cubcal {
namespace {

TEST(ExpectedCrossEntropy, AveragesThePassesLossesNotTheirPredictions) {
  const at::Tensor logits = testing_losses::draw_logits({4, 6, 3}, 2, 1);
  const at::Tensor labels = at::tensor({0, 1, 2, 2, 1, 0}, at::kLong);
  at::Tensor expected = at::zeros({}, at::kDouble);
  for (std::int64_t s = 0; s < 4; ++s) {
    expected += at::cross_entropy_loss(logits[s], labels) / 4;
  }
  EXPECT_NEAR(expected_cross_entropy(logits, labels).item<double>(), expected.item<double>(),
              1e-12);
  const double of_mean = at::nll_loss(logits.softmax(2).mean(0).log(), labels).item<double>();
  EXPECT_GT(expected.item<double>(), of_mean);
}

TEST(ExpectedCrossEntropy, WeighsClassesAsPyTorchDoes) {
  const at::Tensor logits = testing_losses::draw_logits({1, 5, 3}, 2, 1);
  const at::Tensor labels = at::tensor({0, 1, 2, 2, 1}, at::kLong);
  const at::Tensor weights = at::tensor({0.5, 1.0, 3.0}, at::kDouble);
  EXPECT_NEAR(expected_cross_entropy(logits, labels, weights).item<double>(),
              at::cross_entropy_loss(logits[0], labels, weights).item<double>(), 1e-12);
  EXPECT_NEAR(expected_cross_entropy(logits, labels, at::ones({3}, at::kDouble)).item<double>(),
              expected_cross_entropy(logits, labels).item<double>(), 1e-12);
}

}  // namespace
}  // namespace cubcal
