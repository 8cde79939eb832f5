// Holds the library against values an independent implementation gave for the same logits: the
// cases of the shared reference folder, and those made by make_reference.py beside this file.

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "cubcal/boundary/regions.h"
#include "cubcal/calibration/fit.h"
#include "cubcal/calibration/grid_search.h"
#include "cubcal/calibration/temperature_curve.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/metrics/metric_values.h"

namespace cubcal {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

struct Case {
  std::string name;
  std::string stem;  // path without extension
};

std::vector<Case> cases_in(const fs::path& folder) {
  std::vector<Case> cases;
  std::error_code missing;
  for (const auto& entry : fs::directory_iterator(folder, missing)) {
    if (entry.path().extension() != ".json") continue;
    const std::string stem = (entry.path().parent_path() / entry.path().stem()).string();
    if (fs::exists(stem + ".npz")) cases.push_back({entry.path().stem().string(), stem});
  }
  std::sort(cases.begin(), cases.end(),
            [](const Case& a, const Case& b) { return a.name < b.name; });
  return cases;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases = cases_in(fs::path(CUBCAL_TEST_DATA) / "reference");
  for (const Case& shared : cases_in(fs::path(CUBCAL_SHARED_DIR) / "reference")) {
    cases.push_back(shared);
  }
  return cases;
}

class Reference : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    file_ = read_logits_file(GetParam().stem + ".npz");
    std::ifstream in(GetParam().stem + ".json");
    expected_ = Json::parse(in);
    tolerance_ = file_.logits.dtype() == DType::kF64 ? 1e-9 : 1e-6;
  }

  void expect_near(double actual, double expected, const std::string& what) const {
    EXPECT_NEAR(actual, expected, tolerance_ * std::abs(expected) + 1e-14) << what;
  }

  LogitsFile file_;
  Json expected_;
  double tolerance_ = 0;
};

TEST_P(Reference, Metrics) {
  const Predictive predictive = predict(McLogits(file_.logits));
  const MetricValues values = metric_values(sample_facts(predictive, file_.labels, {}));
  const Json& metrics = expected_["metrics"];
  const bool is_kept = GetParam().stem.find(CUBCAL_TEST_DATA) == 0;  // others may be older
  for (const MetricInfo& info : metric_infos()) {
    if (!is_kept && !metrics.contains(info.key)) continue;
    const Json& expected = metrics.at(info.key);
    if (expected.is_null()) {
      EXPECT_FALSE(values[info.metric].has_value()) << info.key;
    } else {
      ASSERT_TRUE(values[info.metric].has_value()) << info.key;
      expect_near(*values[info.metric], expected.get<double>(), info.key);
    }
  }
}

TEST_P(Reference, FirstSamples) {
  if (!expected_.contains("confidence_first10")) {
    GTEST_SKIP() << "the case lists no single samples";
  }
  const Predictive predictive = predict(McLogits(file_.logits));
  const DeviationScale scale = deviation_scale(kDefaultGamma, predictive.classes);
  for (std::size_t i = 0; i < expected_["confidence_first10"].size(); ++i) {
    expect_near(predictive.confidence[i], expected_["confidence_first10"][i], "confidence");
    // Entropies near 0 hang on the rounding of 1 - c in the reference.
    EXPECT_NEAR(predictive.entropy[i], expected_["entropy_first10"][i].get<double>(),
                tolerance_ * predictive.entropy[i] + 2e-15);
    const bool correct = predictive.predicted[i] == file_.labels[i];
    EXPECT_NEAR(normalised_deviation(correct, predictive.confidence[i], predictive.entropy[i],
                                     kDefaultGamma, predictive.classes, scale),
                expected_["deviation_normalised_first10"][i].get<double>(), tolerance_);
  }
}

TEST_P(Reference, Thresholds) {
  const Thresholds thresholds = thresholds_from_eta(kDefaultEta, McLogits(file_.logits).classes());
  EXPECT_NEAR(thresholds.gamma_low, expected_["thresholds"]["gamma_low"].get<double>(), 1e-12);
  EXPECT_NEAR(thresholds.gamma_high, expected_["thresholds"]["gamma_high"].get<double>(), 1e-12);
}

std::vector<double> linear(double low, double high, int count) {
  std::vector<double> values;
  for (int i = 0; i < count; ++i) values.push_back(low + (high - low) * i / (count - 1));
  return values;
}

std::vector<double> logarithmic(double low, double high, int count) {
  std::vector<double> values = linear(std::log(low), std::log(high), count);
  for (double& value : values) value = std::exp(value);
  return values;
}

std::vector<std::size_t> everyone(std::size_t count) {
  std::vector<std::size_t> samples(count);
  for (std::size_t i = 0; i < count; ++i) samples[i] = i;
  return samples;
}

TEST_P(Reference, DualTemperatureGrid) {
  const McLogits logits(file_.logits);
  const Predictive unscaled = predict(logits);
  const Thresholds thresholds = thresholds_from_eta(kDefaultEta, logits.classes());
  std::vector<std::size_t> regions[2];
  for (std::size_t i = 0; i < unscaled.samples; ++i) {
    regions[scaling_region(unscaled.confidence[i], unscaled.entropy[i], thresholds) ==
            ScalingRegion::kSoften]
        .push_back(i);
  }
  const Json& grid = expected_["dts_grid"];
  EXPECT_DOUBLE_EQ(static_cast<double>(regions[0].size()) / static_cast<double>(unscaled.samples),
                   grid["share_high"].get<double>());
  const CurveOptions options{kDefaultBins, kDefaultGamma};
  const auto high =
      temperature_curve(logits, regions[0], file_.labels, linear(0.5, 1, 51), options);
  const auto low = temperature_curve(logits, regions[1], file_.labels, linear(1, 2, 51), options);
  const auto best = best_pair(high, low, unscaled.samples, std::nullopt);
  ASSERT_TRUE(best.has_value());
  expect_near(best->bcce, grid["bcce"], "bcce");
  // Where several pairs are equally good (two classes, samples already at U = 0, an empty region),
  // ours is the one nearest (1, 1).
  const auto distance = [](double t_high, double t_low) {
    return std::abs(std::log(t_high)) + std::abs(std::log(t_low));
  };
  const double t_high = grid["t_high"];
  const double t_low = grid["t_low"];
  if (std::abs(best->t_high - t_high) + std::abs(best->t_low - t_low) > 1e-12) {
    EXPECT_LT(distance(best->t_high, best->t_low), distance(t_high, t_low));
    EXPECT_NEAR(best->bcce, grid["bcce"].get<double>(), 1e-12);
  }
}

TEST_P(Reference, SingleTemperatureGrids) {
  const McLogits logits(file_.logits);
  const auto curve = temperature_curve(logits, everyone(logits.samples()), file_.labels,
                                       logarithmic(0.25, 4, 401), {kDefaultBins, kDefaultGamma});
  std::vector<double> nll = curve.nll;
  for (double& value : nll) value /= static_cast<double>(logits.samples());
  expect_near(*std::min_element(nll.begin(), nll.end()), expected_["ts_nll_grid"]["value"], "nll");
  EXPECT_NEAR(best_temperature(curve.temperatures, nll),
              expected_["ts_nll_grid"]["t"].get<double>(), 1e-12);
  const std::vector<double> bcce = bcce_along(curve, logits.samples());
  expect_near(*std::min_element(bcce.begin(), bcce.end()), expected_["ts_bcce_grid"]["value"],
              "bcce");
  if (logits.classes() == 2) return;
  EXPECT_NEAR(best_temperature(curve.temperatures, bcce),
              expected_["ts_bcce_grid"]["t"].get<double>(), 1e-12);
}

TEST_P(Reference, DefaultFitsAreAtLeastAsGood) {
  const McLogits logits(file_.logits);
  const auto fitted = [&](CalibrationMethod method) {
    FitOptions options;
    options.method = method;
    return fit_calibration(logits, file_.labels, options).calibration.objective_after;
  };
  const double slack = file_.logits.dtype() == DType::kF64 ? 1e-9 : 1e-7;
  EXPECT_LE(fitted(CalibrationMethod::kTsNll),
            expected_["ts_nll_grid"]["value"].get<double>() + slack);
  EXPECT_LE(fitted(CalibrationMethod::kTsBcce),
            expected_["ts_bcce_grid"]["value"].get<double>() + slack);
  EXPECT_LE(fitted(CalibrationMethod::kDts), expected_["dts_grid"]["bcce"].get<double>() + slack);
}

INSTANTIATE_TEST_SUITE_P(Cases, Reference, testing::ValuesIn(all_cases()),
                         [](const auto& item) { return item.param.name; });

// Neither folder may silently be empty: the repository's own cases are always there.
TEST(ReferenceFolder, HoldsTheRepositorysCases) {
  EXPECT_GE(cases_in(fs::path(CUBCAL_TEST_DATA) / "reference").size(), 3U);
}

}  // namespace
}  // namespace cubcal
