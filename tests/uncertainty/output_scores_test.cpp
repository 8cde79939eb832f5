#include "cubcal/uncertainty/output_scores.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/metrics/detection_intervals.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

const std::vector<double> kLogits{2, 0, 0, 1, -1, 0,   // pass 1: two samples of three classes
                                  0, 2, 0, 1, -1, 0};  // pass 2

TEST(OutputScores, Formulas) {
  const McLogits logits(kLogits.data(), 2, 2, 3);
  const Predictive predictive = predict(logits);
  const std::vector<double> confidence = output_scores("confidence", logits, predictive);
  const std::vector<double> uncertainty = output_scores("uncertainty", logits, predictive);
  const std::vector<double> information = output_scores("mutual-information", logits, predictive);
  const std::vector<double> energy = output_scores("energy", logits, predictive);
  EXPECT_NEAR(confidence[0], 1 - predictive.confidence[0], 1e-15);
  EXPECT_EQ(uncertainty, predictive.entropy);
  EXPECT_GT(information[0], 0.1);         // the passes disagree
  EXPECT_NEAR(information[1], 0, 1e-12);  // they do not
  EXPECT_NEAR(energy[0], -std::log(std::exp(2) + 2), 1e-12);
  EXPECT_NEAR(energy[1], -std::log(std::exp(1) + std::exp(-1) + 1), 1e-12);
  expect_error<ArgumentError>([&] { output_scores("entropy", logits, predictive); },
                              "confidence, uncertainty, mutual-information, energy");
}

TEST(DetectionIntervals, HoldTheMetricsAndShrinkWithSamples) {
  const auto width = [](std::size_t n) {
    std::vector<double> id, ood;
    for (std::size_t i = 0; i < n; ++i) {
      id.push_back(std::fmod(0.618034 * static_cast<double>(i), 1));
      ood.push_back(0.3 + std::fmod(0.754878 * static_cast<double>(i), 1));
    }
    const auto result = detection_with_intervals({id}, {ood}, {500, 0.95, 1});
    const DetectionMetrics plain = *detection_metrics(id, ood);
    EXPECT_EQ(result->metrics.auroc, plain.auroc);
    EXPECT_LT(result->auroc.low, plain.auroc);
    EXPECT_GT(result->auroc.high, plain.auroc);
    EXPECT_LT(result->aupr.low, plain.aupr);
    EXPECT_GT(result->aupr.high, plain.aupr);
    EXPECT_LE(result->fpr95.low, plain.fpr95);
    EXPECT_GE(result->fpr95.high, plain.fpr95);
    return result->auroc.high - result->auroc.low;
  };
  EXPECT_NEAR(width(100) / width(1600), 4, 1.5);
}

TEST(DetectionIntervals, GroupsWidenThem) {
  std::vector<double> id, ood;
  std::vector<std::int64_t> groups;
  for (int i = 0; i < 200; ++i) {
    const int patient = i / 10;
    id.push_back(std::fmod(0.618034 * patient, 1));
    ood.push_back(0.3 + std::fmod(0.754878 * patient, 1));
    groups.push_back(patient);
  }
  const auto single = detection_with_intervals({id}, {ood}, {500, 0.95, 1});
  const auto grouped = detection_with_intervals({id, groups}, {ood, groups}, {500, 0.95, 1});
  EXPECT_GT(grouped->auroc.high - grouped->auroc.low, 2 * (single->auroc.high - single->auroc.low));
}

TEST(DetectionIntervals, OneSideAloneIsUndefined) {
  const std::vector<double> some{1, 2};
  const std::vector<double> none;
  EXPECT_FALSE(detection_with_intervals({some}, {none}, {}));
  expect_error<DataError>(
      [&] {
        const std::vector<double> broken{1, std::nan("")};
        detection_with_intervals({some}, {broken}, {});
      },
      "must not be NaN");
}

}  // namespace
}  // namespace cubcal::test
