#include "cubcal_nn/losses/avuc_loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/boundary/regions.h"
#include "losses/finite_differences.h"

namespace cubcal {
namespace {

using testing_losses::draw_logits;
using testing_losses::half_right_labels;

TEST(AvucLoss, EqualsTheSumsOverTheFourStates) {
  const at::Tensor logits = draw_logits({3, 40, 4}, 2.5, 6);
  const at::Tensor labels = half_right_labels(logits);
  const MeanPrediction prediction = mean_prediction(logits);
  constexpr double kThreshold = 0.6;
  double n[4] = {0, 0, 0, 0};
  for (std::int64_t i = 0; i < 40; ++i) {
    const double c = prediction.confidence[i].item<double>();
    const double u = prediction.uncertainty[i].item<double>();
    const bool correct =
        prediction.predicted[i].item<std::int64_t>() == labels[i].item<std::int64_t>();
    const AvuState state = avu_state(correct, u, kThreshold);
    const bool certain =
        state == AvuState::kAccurateCertain || state == AvuState::kInaccurateCertain;
    n[static_cast<int>(state)] +=
        (correct ? c : 1 - c) * (certain ? 1 - std::tanh(u) : std::tanh(u));
  }
  for (const double sum : n) EXPECT_GT(sum, 0);
  const double expected = -std::log((n[0] + n[3]) / (n[0] + n[1] + n[2] + n[3]));
  EXPECT_NEAR(avuc_loss(prediction, labels, kThreshold).item<double>(), expected, 1e-8);
}

TEST(AvucLoss, IsFiniteWhereNothingIsAsWished) {
  at::Tensor logits = at::zeros({1, 1, 3}, at::kDouble);
  logits[0][0][0] = 20.0;
  const MeanPrediction prediction = mean_prediction(logits);
  const double loss = avuc_loss(prediction, at::ones({1}, at::kLong), 1.0).item<double>();
  EXPECT_NEAR(loss, -std::log(1e-10), 1e-6);
}

/// Two classes, one pass, with the given probabilities of class 0.
MeanPrediction predictions(std::vector<double> p) {
  const at::Tensor first = at::tensor(p, at::kDouble);
  return mean_prediction(at::stack({first.log(), (1 - first).log()}, 1).unsqueeze(0));
}

TEST(AvucThreshold, FollowsTheMidpointThenFreezes) {
  AvucThreshold threshold;
  EXPECT_EQ(threshold.value, 1.0);
  const MeanPrediction seen = predictions({0.9, 0.9, 0.6});
  const at::Tensor labels = at::tensor({0, 0, 1}, at::kLong);
  const double certain = seen.uncertainty[0].item<double>();
  const double uncertain = seen.uncertainty[2].item<double>();
  threshold.observe(seen, labels);
  EXPECT_EQ(threshold.value, 1.0);
  threshold.end_epoch();
  EXPECT_NEAR(threshold.value, 0.5 * (certain + uncertain), 1e-12);

  // All correct: one side is empty and the value stays.
  threshold.observe(predictions({0.9}), at::tensor({0}, at::kLong));
  const double before = threshold.value;
  threshold.end_epoch();
  EXPECT_EQ(threshold.value, before);

  for (int epoch = 2; epoch < 5; ++epoch) threshold.end_epoch();
  threshold.observe(predictions({0.8, 0.7}), at::tensor({0, 1}, at::kLong));
  threshold.end_epoch();
  EXPECT_EQ(threshold.value, before);
  EXPECT_EQ(threshold.finished_epochs, 6);
}

}  // namespace
}  // namespace cubcal
