#include "cubcal/benefit/benefit_json.h"

#include <gtest/gtest.h>

namespace cubcal {
namespace {

BenefitReport example_report() {
  BenefitReport report;
  report.file = "test.npz";
  report.positive = {"malignant"};
  report.policy = "refer where U > 0.3 nats, else accept";
  report.cases = 4;
  report.diseased = 2;
  BenefitOptions options;
  options.thresholds = {0.25, 0.5};
  options.prices.referral = 0.125;
  report.curve =
      benefit_curve({{0.9, 0.3, 0.6, 0.1},
                     {1, 1, 0, 0},
                     {Decision::kAccept, Decision::kRefer, Decision::kAccept, Decision::kAccept}},
                    options);
  return report;
}

TEST(BenefitJson, HasTheCurveAndWhatItIsMadeOf) {
  const nlohmann::ordered_json json = benefit_json(example_report());
  EXPECT_EQ(json["file"], "test.npz");
  EXPECT_EQ(json["policy"], "refer where U > 0.3 nats, else accept");
  EXPECT_EQ(json["better"], "higher");
  EXPECT_EQ(json["prices"]["false_alarm"], "pt / (1 - pt)");
  EXPECT_TRUE(json["calibration"].is_null());
  EXPECT_TRUE(json["bootstrap"].is_null());
  EXPECT_TRUE(json["clearly_best_at"].is_null());
  ASSERT_EQ(json["points"].size(), 2U);
  EXPECT_EQ(json["points"][1]["threshold"], 0.5);
  EXPECT_EQ(json["points"][1]["strategies"]["policy"]["referred"], 0.25);
  EXPECT_FALSE(json["points"][1]["strategies"]["policy"].contains("lead_of_subject"));
}

TEST(BenefitJson, WithoutAPolicyThereIsNone) {
  BenefitReport report = example_report();
  report.curve = benefit_curve({{0.9, 0.3}, {1, 0}, {}}, report.curve.options);
  const nlohmann::ordered_json json = benefit_json(report);
  EXPECT_TRUE(json["policy"].is_null());
  EXPECT_FALSE(json["points"][0].contains("referral_worth"));
}

}  // namespace
}  // namespace cubcal
