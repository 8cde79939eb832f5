// Holds net benefits and costs against those that make_benefit.py beside this file sums up a case
// at a time; the prices here are its own.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cubcal/benefit/benefit_curve.h"
#include "cubcal/io/logits_file.h"

namespace cubcal {
namespace {

class BenefitReference : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const std::filesystem::path folder = std::filesystem::path(CUBCAL_TEST_DATA) / "reference";
    const LogitsFile file = read_logits_file((folder / (GetParam() + ".npz")).string());
    std::ifstream in(folder / "benefit" / (GetParam() + ".json"));
    expected_ = nlohmann::json::parse(in);
    const Predictive predictive = predict(McLogits(file.logits));
    std::vector<std::uint8_t> positive(predictive.classes, 0);
    positive[1] = positive.back() = 1;
    cases_ = benefit_cases(predictive, file.labels, positive);
    std::vector<std::uint8_t> out_of_scope;
    for (std::size_t i = 0; i < cases_.size(); ++i) out_of_scope.push_back(i % 7 == 0 ? 1 : 0);
    cases_.decisions = decisions_by_uncertainty(predictive.entropy, 0.325, out_of_scope);
    options_.thresholds = {0.02, 0.1, 0.25, 0.5, 0.8};
    options_.expert = {0.95, 0.9};
    tolerance_ = file.logits.dtype() == DType::kF64 ? 1e-11 : 1e-7;
  }

  void expect_values(const std::string& key) const {
    const BenefitCurve curve = benefit_curve(cases_, options_);
    for (std::size_t p = 0; p < curve.points.size(); ++p) {
      for (std::size_t s = 0; s < kStrategyCount; ++s) {
        const double expected = expected_[key][p][s];
        EXPECT_NEAR(curve.points[p].values[s], expected, tolerance_ * (1 + std::abs(expected)))
            << key << " at " << curve.points[p].threshold << ", "
            << strategy_label(static_cast<Strategy>(s)).label;
      }
    }
  }

  nlohmann::json expected_;
  BenefitCases cases_;
  BenefitOptions options_;
  double tolerance_ = 0;
};

TEST_P(BenefitReference, NetBenefit) {
  options_.prices.referral = 0.04;
  options_.prices.out_of_scope = 0.1;
  expect_values("net_benefit");
  options_.prevalence = 0.08;
  expect_values("at_prevalence");
}

TEST_P(BenefitReference, Cost) {
  options_.prices.miss = 120;
  options_.prices.false_alarm = 9;
  options_.prices.referral = 5;
  expect_values("cost");
}

INSTANTIATE_TEST_SUITE_P(Cases, BenefitReference,
                         testing::Values("ties_k2", "float16_k3", "big_endian_k5"),
                         [](const auto& item) { return item.param; });

}  // namespace
}  // namespace cubcal
