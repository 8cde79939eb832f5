#include "cubcal_nn/losses/cub_loss.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "cubcal/boundary/regions.h"
#include "cubcal/core/error.h"
#include "losses/finite_differences.h"

namespace cubcal {
namespace {

using testing_losses::draw_logits;
using testing_losses::half_right_labels;

TEST(CubDeviation, EqualsTheFormulasOfTheBoundary) {
  for (const std::int64_t classes : {2, 3, 5, 7, 40}) {
    const auto k = static_cast<std::size_t>(classes);
    for (const double gamma : {0.3, 0.9}) {
      if (gamma < 1.0 / static_cast<double>(classes)) continue;
      const DeviationScale scale = deviation_scale(gamma, k);
      std::set<LossRegion> seen;
      for (const double spread : {0.2, 2.0, 5.0}) {
        const at::Tensor logits = draw_logits({5, 40, classes}, spread, 9);
        const at::Tensor labels = half_right_labels(logits);
        const MeanPrediction prediction = mean_prediction(logits);
        const at::Tensor deviation = cub_deviation(prediction, labels, gamma);
        for (std::int64_t i = 0; i < 40; ++i) {
          const double c = prediction.confidence[i].item<double>();
          const double u = prediction.uncertainty[i].item<double>();
          const bool correct =
              prediction.predicted[i].item<std::int64_t>() == labels[i].item<std::int64_t>();
          seen.insert(loss_region(correct, c, gamma));
          EXPECT_NEAR(deviation[i].item<double>(),
                      normalised_deviation(correct, c, u, gamma, k, scale), 1e-10);
          EXPECT_GE(deviation[i].item<double>(), -1e-12);
          EXPECT_LE(deviation[i].item<double>(), 1 + 1e-12);
        }
      }
      EXPECT_EQ(seen.size(), 4U) << classes << " classes, gamma " << gamma;
    }
  }
}

/// Loss of one sample with the given probabilities.
double loss_of(std::vector<double> p, std::int64_t label, const CubOptions& options = {}) {
  const auto classes = static_cast<std::int64_t>(p.size());
  const at::Tensor logits = at::tensor(p, at::kDouble).log().view({1, 1, classes});
  return cub_loss(mean_prediction(logits), at::full({1}, label, at::kLong), options).item<double>();
}

TEST(CubLoss, HasTheValuesOfThePaper) {
  // AU: right with c = 0.6, d = (0.9 - 0.6) / (0.9 - 1/3).
  EXPECT_NEAR(loss_of({0.6, 0.3, 0.1}, 0), -std::log(1 - 0.3 / (0.9 - 1.0 / 3)), 1e-12);
  // IC: wrong with c = 0.95, d = 0.05 / 0.1.
  EXPECT_NEAR(loss_of({0.95, 0.04, 0.01}, 1), std::log(2.0), 1e-12);
  // AC on the lower bound (the rest in one class) and IU on the upper: no loss.
  EXPECT_NEAR(loss_of({0.95, 0.05, 1e-300}, 0), 0, 1e-12);
  EXPECT_NEAR(loss_of({0.5, 0.25, 0.25}, 1), 0, 1e-12);
  // AC just above gamma with the rest spread evenly: the largest deviation of its region.
  EXPECT_NEAR(loss_of({0.9001, 0.04995, 0.04995}, 0), -std::log(1 - 0.999), 1e-6);
  // K = 2: the entropy deviations vanish.
  EXPECT_EQ(loss_of({0.95, 0.05}, 0), 0);
  EXPECT_EQ(loss_of({0.6, 0.4}, 1), 0);
  EXPECT_NEAR(loss_of({0.6, 0.4}, 0), -std::log(1 - 0.3 / 0.4), 1e-12);
}

TEST(CubLoss, OneAnswerToEverythingJustBelowGammaCostsNothing) {
  // Why the weight has to stay small beside the cross entropy: right answers of confidence gamma
  // are where AU wants them, and wrong ones with the rest spread evenly where IU does.
  for (const std::int64_t label : {0, 1, 2, 3}) {
    EXPECT_LT(loss_of({0.8999, 0.1001 / 3, 0.1001 / 3, 0.1001 / 3}, label), 2e-4) << label;
  }
}

TEST(CubLoss, IsContinuousWithItsSlopeAtTheClamp) {
  CubOptions options;
  options.epsilon = 0.1;
  const auto at_deviation = [&](double d) {
    const double c = 0.9 + 0.1 * d;
    return loss_of({c, 1 - c}, 1, options);
  };
  EXPECT_NEAR(at_deviation(0.9), -std::log(0.1), 1e-9);
  EXPECT_NEAR(at_deviation(0.9 + 1e-7) - at_deviation(0.9 - 1e-7), 2e-7 / 0.1, 1e-12);
  EXPECT_NEAR(at_deviation(0.95), -std::log(0.1) + 0.05 / 0.1, 1e-9);
}

TEST(CubLoss, SumsOrAverages) {
  const at::Tensor logits = draw_logits({5, 12, 3}, 2, 3);
  const at::Tensor labels = half_right_labels(logits);
  const MeanPrediction prediction = mean_prediction(logits);
  const double sum = cub_loss(prediction, labels).item<double>();
  const double mean =
      cub_loss(prediction, labels, {0.9, BatchReduction::kMean, 1e-3}).item<double>();
  EXPECT_NEAR(sum, 12 * mean, 1e-10);
}

TEST(CubLoss, ChecksItsOptions) {
  const MeanPrediction prediction = mean_prediction(draw_logits({1, 2, 3}, 1, 1));
  const at::Tensor labels = at::zeros({2}, at::kLong);
  EXPECT_THROW(cub_loss(prediction, labels, {0.2}), ArgumentError);
  EXPECT_THROW(cub_loss(prediction, labels, {0.9, BatchReduction::kSum, 0.0}), ArgumentError);
  EXPECT_NO_THROW(cub_loss(prediction, labels, {1.0}));
  EXPECT_TRUE(std::isfinite(cub_loss(prediction, labels, {1.0}).item<double>()));
}

TEST(MeanPrediction, IsTheMeanOfTheSoftmax) {
  const at::Tensor logits = draw_logits({4, 6, 5}, 3, 2);
  const MeanPrediction prediction = mean_prediction(logits);
  const at::Tensor p = logits.softmax(2).mean(0);
  EXPECT_TRUE(at::allclose(prediction.probabilities, p, 1e-12, 1e-14));
  EXPECT_TRUE(at::allclose(prediction.uncertainty, -(p * p.log()).sum(1), 1e-12, 1e-14));
  EXPECT_TRUE(at::allclose(prediction.confidence, std::get<0>(p.max(1)), 1e-12, 1e-14));
  const MeanPrediction tie = mean_prediction(at::zeros({2, 1, 4}));
  EXPECT_EQ(tie.predicted[0].item<std::int64_t>(), 0);
  EXPECT_THROW(mean_prediction(at::zeros({2, 4})), ArgumentError);
  EXPECT_THROW(mean_prediction(at::zeros({2, 3, 1})), ArgumentError);
}

TEST(CheckLabels, SaysWhatIsAccepted) {
  const at::Tensor logits = at::zeros({2, 3, 4});
  EXPECT_NO_THROW(check_labels(at::tensor({0, 3, 1}, at::kLong), logits));
  EXPECT_THROW(check_labels(at::tensor({0, 3}, at::kLong), logits), DataError);
  EXPECT_THROW(check_labels(at::zeros({3}), logits), DataError);
  try {
    check_labels(at::tensor({0, 4, 1}, at::kLong), logits);
    FAIL();
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(), "labels must lie in {0, ..., 3}, but they range from 0 to 4");
  }
}

}  // namespace
}  // namespace cubcal
