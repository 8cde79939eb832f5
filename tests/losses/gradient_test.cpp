#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "cubcal_nn/losses/avuc_loss.h"
#include "cubcal_nn/losses/cross_entropy.h"
#include "cubcal_nn/losses/cub_loss.h"
#include "losses/finite_differences.h"

namespace cubcal {
namespace {

using testing_losses::draw_logits;
using testing_losses::expect_gradient;
using testing_losses::half_right_labels;

class LossGradient : public testing::TestWithParam<std::int64_t> {
 protected:
  // Spreads from nearly uniform to nearly certain predictions: every region occurs.
  std::vector<at::Tensor> cases() const {
    std::vector<at::Tensor> all;
    for (const double spread : {0.3, 2.0, 6.0}) {
      all.push_back(draw_logits({3, 8, GetParam()}, spread, 5));
    }
    return all;
  }
};

TEST_P(LossGradient, CrossEntropy) {
  for (const at::Tensor& logits : cases()) {
    const at::Tensor labels = half_right_labels(logits);
    expect_gradient(logits, [&](const at::Tensor& z) { return expected_cross_entropy(z, labels); });
    const at::Tensor weights = at::linspace(0.5, 2.0, GetParam(), at::kDouble);
    expect_gradient(
        logits, [&](const at::Tensor& z) { return expected_cross_entropy(z, labels, weights); });
  }
}

TEST_P(LossGradient, Cub) {
  for (const at::Tensor& logits : cases()) {
    const at::Tensor labels = half_right_labels(logits);
    for (const double gamma : {0.6, 0.9}) {
      for (const BatchReduction reduction : {BatchReduction::kSum, BatchReduction::kMean}) {
        const CubOptions options{gamma, reduction, 1e-3};
        expect_gradient(
            logits,
            [&](const at::Tensor& z) { return cub_loss(mean_prediction(z), labels, options); },
            1e-6);
      }
    }
  }
}

TEST_P(LossGradient, Avuc) {
  for (const at::Tensor& logits : cases()) {
    const at::Tensor labels = half_right_labels(logits);
    for (const double threshold : {0.2, 0.5, 1.0}) {
      expect_gradient(
          logits,
          [&](const at::Tensor& z) { return avuc_loss(mean_prediction(z), labels, threshold); },
          1e-6);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Classes, LossGradient, testing::Values(2, 3, 7));

/// One pass, one sample, with confidence c: the logits of (c, rest shared 3 : 1 : ...).
at::Tensor logits_with_confidence(double c, std::int64_t classes) {
  at::Tensor p = at::ones({classes}, at::kDouble);
  if (classes > 2) p[1] = 3.0;
  p[0] = 0.0;
  p = p / p.sum() * (1 - c);
  p[0] = c;
  return p.log().view({1, 1, classes});
}

TEST(CubGradient, HoldsOnBothSidesOfTheRegionEdgeAndOfTheClamp) {
  for (const std::int64_t classes : {2, 3, 5}) {
    for (const double c : {0.9 - 1e-4, 0.9 + 1e-4, 0.999, 0.9998, 0.99995, 1 - 1e-7}) {
      for (const std::int64_t label : {0, 1}) {
        const at::Tensor labels = at::full({1}, label, at::kLong);
        expect_gradient(
            logits_with_confidence(c, classes),
            [&](const at::Tensor& z) { return cub_loss(mean_prediction(z), labels); }, 1e-5);
      }
    }
  }
}

TEST(CubGradient, AConfidentErrorIsPushedDown) {
  // c = 0.99995 lies beyond the clamp (d = 0.9995): a hard clamp would give exactly 0 here.
  at::Tensor logits = logits_with_confidence(0.99995, 3).set_requires_grad(true);
  cub_loss(mean_prediction(logits), at::ones({1}, at::kLong)).backward();
  // d loss / d c = 1 / (epsilon (1 - gamma)) = 1e4, d c / d z_0 = c (1 - c).
  EXPECT_NEAR(logits.grad()[0][0][0].item<double>(), 1e4 * 0.99995 * 0.00005, 1e-6);
}

TEST(Losses, StayFiniteForExtremeLogitsInSinglePrecision) {
  for (const std::int64_t classes : {2, 3, 5}) {
    for (const double size : {50.0, 1e3, 1e6, 1e30}) {
      at::Tensor values = at::zeros({2, 4, classes}, at::kFloat);
      values.select(2, 0).fill_(size);
      values[0][1].zero_();                  // one pass certain, the other uniform
      values[1][2] = -values[1][2].clone();  // two passes certain of different classes
      values.select(1, 3).fill_(-size);      // uniform, far from zero
      for (const std::int64_t label : {0, 1}) {
        const at::Tensor labels = at::full({4}, label, at::kLong);
        at::Tensor logits = values.clone().set_requires_grad(true);
        const MeanPrediction prediction = mean_prediction(logits);
        const at::Tensor loss = expected_cross_entropy(logits, labels) +
                                cub_loss(prediction, labels) + avuc_loss(prediction, labels, 0.4);
        loss.backward();
        EXPECT_TRUE(at::isfinite(loss).item<bool>()) << classes << " " << size;
        EXPECT_TRUE(at::isfinite(logits.grad()).all().item<bool>()) << classes << " " << size;
      }
    }
  }
}

}  // namespace
}  // namespace cubcal
