// Holds the clinical metrics against values that scikit-learn and statsmodels gave for the same
// cases: see make_clinical.py beside this file, which has the levels used here.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cubcal/io/logits_file.h"
#include "cubcal/metrics/clinical.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::vector<OperatingRule> kRules = {{PointRule::kAnswer, 0},
                                           {PointRule::kThreshold, 0.4},
                                           {PointRule::kSensitivity, 0.9},
                                           {PointRule::kSpecificity, 0.9}};
constexpr double kPrevalence = 0.02;

class ClinicalReference : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    const fs::path folder = fs::path(CUBCAL_TEST_DATA) / "reference";
    file_ = read_logits_file((folder / (GetParam() + ".npz")).string());
    std::ifstream in(folder / "clinical" / (GetParam() + ".json"));
    expected_ = Json::parse(in);
    predictive_ = predict(McLogits(file_.logits));
    facts_ = sample_facts(predictive_, file_.labels, {});
    tolerance_ = file_.logits.dtype() == DType::kF64 ? 1e-9 : 1e-6;
  }

  ClinicalValues values(const ClinicalOptions& options) const {
    return ClinicalMetrics(facts_, predictive_, options).values();
  }

  void expect_near(const std::optional<double>& actual, const Json& expected,
                   const std::string& what) const {
    ASSERT_EQ(actual.has_value(), !expected.is_null()) << what;
    if (!actual) return;
    EXPECT_NEAR(*actual, expected.get<double>(),
                tolerance_ * std::abs(expected.get<double>()) + 1e-9)
        << what;
  }

  LogitsFile file_;
  Json expected_;
  Predictive predictive_;
  SampleFacts facts_;
  double tolerance_ = 0;
};

TEST_P(ClinicalReference, OverallAndConfusion) {
  const ClinicalValues found = values({});
  ASSERT_EQ(expected_["overall"].size(), kClinicalCount);
  for (std::size_t m = 0; m < kClinicalCount; ++m) {
    const char* key = clinical_infos()[m].key;
    expect_near(found.overall[m], expected_["overall"].at(key), key);
  }
  ASSERT_EQ(found.confusion.size(), expected_["confusion"].size());
  for (std::size_t cell = 0; cell < found.confusion.size(); ++cell) {
    expect_near(found.confusion[cell], expected_["confusion"][cell], "confusion");
  }
}

TEST_P(ClinicalReference, EachClass) {
  ClinicalOptions options;
  options.rules = kRules;
  const ClinicalValues found = values(options);
  options.prevalence.assign(facts_.classes, kPrevalence);
  const ClinicalValues elsewhere = values(options);
  for (std::size_t k = 0; k < facts_.classes; ++k) {
    const Json& expected = expected_["per_class"][k];
    expect_near(found.of_class(k, ClassMetric::kAuroc), expected["auroc"], "auroc");
    expect_near(found.of_class(k, ClassMetric::kAupr), expected["aupr"], "aupr");
    for (std::size_t r = 0; r < kRules.size(); ++r) {
      const std::string rule = rule_name(kRules[r].rule);
      for (std::size_t m = 0; m < kPointMetricCount; ++m) {
        const char* key = point_infos()[m].key;
        expect_near(found.points[r][k][m], expected[rule][key], rule + " " + key);
      }
      expect_near(elsewhere.at_point(r, k, PointMetric::kPpv), expected[rule]["ppv_at_prevalence"],
                  rule + " ppv at prevalence");
      expect_near(elsewhere.at_point(r, k, PointMetric::kNpv), expected[rule]["npv_at_prevalence"],
                  rule + " npv at prevalence");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Cases, ClinicalReference,
                         testing::Values("ties_k2", "float16_k3", "fortran_order_k3",
                                         "big_endian_k5", "one_pass_two_axes_k6"),
                         [](const auto& item) { return item.param; });

}  // namespace
}  // namespace cubcal
