#include "cubcal/benefit/benefit_chart.h"

#include <gtest/gtest.h>

#include "cubcal/core/seed_stream.h"

namespace cubcal {
namespace {

BenefitCases calibrated_cases() {
  BenefitCases cases;
  SeedStream stream(1, 0);
  for (int i = 0; i < 200; ++i) {
    const double risk = stream.uniform();
    cases.risk.push_back(risk);
    cases.diseased.push_back(stream.uniform() < risk ? 1 : 0);
    cases.decisions.push_back(risk > 0.3 && risk < 0.6 ? Decision::kRefer : Decision::kAccept);
  }
  return cases;
}

TEST(BenefitChart, HasALineForEachStrategyAndABand) {
  const BenefitCases cases = calibrated_cases();
  BenefitOptions options;
  options.thresholds = {0.1, 0.2, 0.3};
  options.prices.referral = 0.05;
  BenefitCurve curve = benefit_curve(cases, options);
  const std::string bare = benefit_chart(curve);
  for (const Strategy strategy : curve.strategies) {
    EXPECT_NE(bare.find(strategy_label(strategy).label), std::string::npos);
  }
  EXPECT_EQ(bare.find("interval"), std::string::npos);
  BootstrapOptions bootstrap;
  bootstrap.replicates = 20;
  add_benefit_intervals(curve, cases, {}, bootstrap);
  EXPECT_NE(benefit_chart(curve).find("policy, interval"), std::string::npos);
}

TEST(BenefitChart, OfCostsSaysSo) {
  BenefitOptions options;
  options.thresholds = {0.1, 0.2};
  options.prices.miss = 10;
  options.prices.false_alarm = 1;
  options.prices.referral = 0.1;
  EXPECT_NE(benefit_chart(benefit_curve(calibrated_cases(), options)).find("cost of 1000 patients"),
            std::string::npos);
}

}  // namespace
}  // namespace cubcal
