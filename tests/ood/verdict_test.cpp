#include "cubcal_nn/ood/verdict.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

/// Fitted on 400 images whose score and U rise together, the last quarter wrong.
VerdictPolicy fitted_policy(const VerdictOptions& options) {
  std::vector<double> rising;
  std::vector<std::uint8_t> correct;
  for (int i = 0; i < 400; ++i) {
    rising.push_back(i / 400.0);
    correct.push_back(i < 300);
  }
  VerdictPolicy policy = fit_verdict({rising, rising, correct}, 0.325, options);
  policy.detector = "knn";
  return policy;
}

TEST(VerdictJson, RoundTrip) {
  VerdictOptions options;
  options.risk_target = 0.07;
  VerdictPolicy policy = fitted_policy(options);
  policy.features = FeatureSource::kPasses;
  policy.passes = 80;
  policy.calibration = "00ff";
  policy.probes = {{"noise", {30, 1, 2, 27, 1}}};
  policy.options.miss_targets = {{2, 0.05}};
  const VerdictPolicy read = verdict_from_json(verdict_to_json(policy));
  EXPECT_EQ(read.detector, "knn");
  EXPECT_EQ(read.features, FeatureSource::kPasses);
  EXPECT_EQ(read.passes, 80u);
  EXPECT_EQ(read.calibration, "00ff");
  EXPECT_EQ(read.uncertainty, policy.uncertainty);
  EXPECT_EQ(*read.options.risk_target, 0.07);
  EXPECT_FALSE(read.options.risk_confidence);
  EXPECT_EQ(read.validation.errors, policy.validation.errors);
  ASSERT_EQ(read.options.miss_targets.size(), 1u);
  EXPECT_EQ(read.options.miss_targets[0].label, 2u);
  EXPECT_EQ(read.options.miss_targets[0].share, 0.05);
  ASSERT_EQ(read.probes.size(), 1u);
  EXPECT_EQ(read.probes[0].name, "noise");
  EXPECT_EQ(read.probes[0].rates.out_of_scope, 27u);
  EXPECT_EQ(verdict_to_json(read), verdict_to_json(policy));
}

TEST(VerdictJson, RoundTripOfSets) {
  VerdictPolicy policy = fitted_policy({});
  policy.uncertainty = std::numeric_limits<double>::infinity();
  policy.options.sets.emplace();
  policy.options.sets->alpha = 0.2;
  policy.options.sets->by_class = true;
  policy.options.sets->score.score = ConformalScore::kRaps;
  policy.options.sets->score.penalty = 0.03;
  policy.options.sets->score.free_classes = 2;
  policy.sets = ConformalRule{*policy.options.sets, 2, {}};
  policy.sets->cells[""] = {{300, 0.123456789012345}, {2, policy.uncertainty}};
  const std::string text = verdict_to_json(policy);
  const VerdictPolicy read = verdict_from_json(text);
  EXPECT_EQ(verdict_to_json(read), text);
  ASSERT_TRUE(read.sets);
  EXPECT_TRUE(std::isinf(read.uncertainty));
  EXPECT_EQ(read.options.sets->alpha, 0.2);
  EXPECT_EQ(read.sets->options.score.score, ConformalScore::kRaps);
  EXPECT_EQ(read.sets->options.score.penalty, 0.03);
  EXPECT_EQ(read.sets->options.score.free_classes, 2u);
  EXPECT_EQ(read.sets->cells.at("")[0].threshold, 0.123456789012345);
  EXPECT_EQ(read.sets->cells.at("")[1].samples, 2u);
  EXPECT_TRUE(std::isinf(read.sets->cells.at("")[1].threshold));

  const auto with = [&](const std::string& old, const std::string& fresh) {
    std::string changed = text;
    changed.replace(changed.find(old), old.size(), fresh);
    return changed;
  };
  expect_error<DataError>([&] { verdict_from_json(with("\"classes\": 2", "\"classes\": 3")); },
                          "field 'cells' must be a list");
  expect_error<DataError>([&] { verdict_from_json(with("\"by_class\": true", "\"by_class\": 1")); },
                          "field 'by_class' must be true or false");
  expect_error<DataError>([&] { verdict_from_json(with("\"alpha\": 0.2", "\"alpha\": 2")); },
                          "whose set may lack the true class");
}

TEST(VerdictJson, ModelsWithoutProbesAreRead) {
  const std::string text = verdict_to_json(fitted_policy({}));
  const std::size_t place = text.find(",\n  \"probes\": []");
  ASSERT_NE(place, std::string::npos);
  EXPECT_TRUE(verdict_from_json(text.substr(0, place) + "\n}").probes.empty());
}

TEST(VerdictJson, FaultsAreNamed) {
  const std::string text = verdict_to_json(fitted_policy({}));
  const auto with = [&](const std::string& old, const std::string& fresh) {
    std::string changed = text;
    changed.replace(changed.find(old), old.size(), fresh);
    return changed;
  };
  expect_error<DataError>([&] { verdict_from_json(with("\"knn\"", "\"kn\"")); },
                          "there is no detector named 'kn'");
  expect_error<DataError>([&] { verdict_from_json(with("0.05", "5")); },
                          "the share of ID images refused");
  expect_error<DataError>([&] { verdict_from_json(with("\"errors\"", "\"error\"")); },
                          "needs the field 'errors'");
  expect_error<DataError>([&] { verdict_from_json(with("400", "401")); }, "do not add up");
  expect_error<DataError>([&] { verdict_from_json(with("\"probes\": []", "\"probes\": 7")); },
                          "field 'probes' must be a list");
  expect_error<DataError>([&] { verdict_from_json("[1,"); }, "must be a JSON object");
}

}  // namespace
}  // namespace cubcal::test
