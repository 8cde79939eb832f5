// Holds drift tests and ranges of sums of events against what SciPy gave: see make_monitor.py
// beside this file.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cubcal/metrics/poisson_binomial.h"
#include "cubcal/monitor/drift_tests.h"

namespace cubcal {
namespace {

using Json = nlohmann::json;

Json kept_cases() {
  std::ifstream in(std::filesystem::path(CUBCAL_TEST_DATA) / "reference" / "monitor" /
                   "cases.json");
  return Json::parse(in);
}

Predictions predictions_in(const Json& json) {
  Predictions predictions;
  json.at("predicted").get_to(predictions.predicted);
  json.at("confidence").get_to(predictions.confidence);
  json.at("uncertainty").get_to(predictions.uncertainty);
  json.at("outside").get_to(predictions.outside);
  return predictions;
}

// A p-value that stopped at its 20th finding has a relative error of 22%: 19 / (drawn - 1), which
// is right on average, is averaged over seeds.
TEST(MonitorReference, StatisticsAndPValues) {
  constexpr int kSeeds = 40;
  const Json kept = kept_cases();
  ASSERT_EQ(kept["cases"].size(), 4U);
  for (const Json& each : kept["cases"]) {
    const Predictions reference = predictions_in(each["reference"]);
    const Predictions period = predictions_in(each["period"]);
    DriftOptions options;
    options.refer_above = 0.5;
    options.permutations = 50000;
    std::vector<DriftResult> results;
    std::vector<double> mean;
    for (int seed = 0; seed < kSeeds; ++seed) {
      options.seed = static_cast<std::uint64_t>(seed);
      results = drift_tests(reference, period, each["classes"].get<std::size_t>(), options, 0);
      mean.resize(results.size());
      for (std::size_t t = 0; t < results.size(); ++t) {
        mean[t] += 19.0 / static_cast<double>(results[t].permutations - 1) / kSeeds;
      }
    }
    ASSERT_EQ(results.size(), each["tests"].size());
    for (std::size_t t = 0; t < results.size(); ++t) {
      const std::string key = drift_test_key(results[t].test);
      const Json& expected = each["tests"][key];
      const std::string what = each["name"].get<std::string>() + " " + key;
      EXPECT_NEAR(results[t].statistic, expected["statistic"].get<double>(), 1e-9) << what;
      if (expected["p"].is_null()) continue;
      // The chi-square law is an approximation; else this is four standard errors.
      const double tolerance = key == "classes" ? 0.2 : 0.15;
      EXPECT_NEAR(mean[t], expected["p"].get<double>(), tolerance * expected["p"].get<double>())
          << what;
    }
  }
}

TEST(MonitorReference, RangesOfSumsOfEvents) {
  const Json kept = kept_cases();
  ASSERT_EQ(kept["events"].size(), 5U);
  for (const Json& each : kept["events"]) {
    const CountRange range =
        poisson_binomial_range(each["p"].get<std::vector<double>>(), each["level"].get<double>());
    EXPECT_EQ(range.low, each["range"][0].get<std::size_t>());
    EXPECT_EQ(range.high, each["range"][1].get<std::size_t>());
  }
}

}  // namespace
}  // namespace cubcal
