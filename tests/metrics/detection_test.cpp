#include "cubcal/metrics/detection.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/core/seed_stream.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using Scores = std::vector<double>;

DetectionMetrics metrics_of(const Scores& id, const Scores& ood) {
  return detection_metrics(id, ood).value();
}

TEST(Detection, SeparatesPerfectly) {
  const DetectionMetrics metrics = metrics_of({0, 1, 2}, {3, 4});
  EXPECT_EQ(metrics.auroc, 1.0);
  EXPECT_EQ(metrics.aupr, 1.0);
  EXPECT_EQ(metrics.fpr95, 0.0);
}

TEST(Detection, CanBePerfectlyWrong) {
  const DetectionMetrics metrics = metrics_of({3, 4}, {0, 1});
  EXPECT_EQ(metrics.auroc, 0.0);
  EXPECT_NEAR(metrics.aupr, (1.0 / 3 + 2.0 / 4) / 2, 1e-15);
  EXPECT_EQ(metrics.fpr95, 1.0);
}

TEST(Detection, CountsTiesAsOneHalf) {
  const DetectionMetrics all = metrics_of({1, 1, 1}, {1, 1});
  EXPECT_EQ(all.auroc, 0.5);
  EXPECT_NEAR(all.aupr, 2.0 / 5, 1e-15);
  EXPECT_EQ(all.fpr95, 1.0);
  // Pairs: (0,1) won, (0,2) won, (1,1) tied, (1,2) won.
  EXPECT_NEAR(metrics_of({0, 1}, {1, 2}).auroc, 3.5 / 4, 1e-15);
}

TEST(Detection, AveragesPrecisionByTiedBlocks) {
  // Descending: 5 (ood), 4 (ood, id, id), 3 (ood), 2 (id).
  EXPECT_NEAR(metrics_of({4, 4, 2}, {5, 4, 3}).aupr, (1.0 + 2.0 / 4 + 3.0 / 5) / 3, 1e-15);
}

TEST(Detection, FindsTheRateAtNinetyFivePercentExactly) {
  // Of 20 OOD scores 19 lie above, one below all of ID: 95% is reached without it.
  Scores ood(19, 10.0);
  ood.push_back(-1.0);
  EXPECT_EQ(metrics_of({0, 11}, ood).fpr95, 0.5);
  // Of 19 one is more than 5%: all must be caught.
  ood.erase(ood.begin());
  EXPECT_EQ(metrics_of({0, 11}, ood).fpr95, 1.0);
}

TEST(Detection, IsUndefinedWithOneSideEmpty) {
  EXPECT_FALSE(detection_metrics(Scores{}, Scores{1}).has_value());
  EXPECT_FALSE(detection_metrics(Scores{1}, Scores{}).has_value());
}

TEST(Detection, TakesInfiniteScoresButNotNan) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(metrics_of({0, -infinity}, {infinity, 1}).auroc, 1.0);
  EXPECT_EQ(metrics_of({infinity}, {infinity}).auroc, 0.5);
  test::expect_error<DataError>(
      [] { detection_metrics(Scores{0.0}, Scores{std::numeric_limits<double>::quiet_NaN()}); },
      "detection scores must not be NaN");
}

TEST(Detection, CountsEveryPair) {
  SeedStream stream(1, 1);
  for (int repeat = 0; repeat < 20; ++repeat) {
    Scores id(1 + stream.below(80));
    Scores ood(1 + stream.below(80));
    const std::uint32_t levels = 1 + stream.below(40);  // few levels: many ties
    for (double& score : id) score = stream.below(levels);
    for (double& score : ood) score = stream.below(levels) + 0.1 * levels * (repeat % 3);
    double won = 0.0;
    double caught_precision = 0.0;
    for (const double positive : ood) {
      double above_positive = 0.0;
      double above = 0.0;
      for (const double other : ood) above_positive += other >= positive ? 1 : 0;
      for (const double negative : id) {
        won += positive > negative ? 1.0 : positive == negative ? 0.5 : 0.0;
        above += negative >= positive ? 1 : 0;
      }
      caught_precision += above_positive / (above_positive + above);
    }
    const DetectionMetrics metrics = metrics_of(id, ood);
    const double pairs = static_cast<double>(id.size() * ood.size());
    EXPECT_NEAR(metrics.auroc, won / pairs, 1e-13);
    EXPECT_NEAR(metrics.aupr, caught_precision / static_cast<double>(ood.size()), 1e-13);
    EXPECT_NEAR(metrics_of(ood, id).auroc, 1 - metrics.auroc, 1e-13);
    double fpr95 = 1.0;
    for (const double threshold : ood) {
      double caught = 0.0;
      double alarms = 0.0;
      for (const double score : ood) caught += score >= threshold ? 1 : 0;
      for (const double score : id) alarms += score >= threshold ? 1 : 0;
      if (20 * caught >= 19 * static_cast<double>(ood.size())) {
        fpr95 = std::min(fpr95, alarms / static_cast<double>(id.size()));
      }
    }
    EXPECT_NEAR(metrics.fpr95, fpr95, 1e-13);
  }
}

}  // namespace
}  // namespace cubcal
