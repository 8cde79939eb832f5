#include "cubcal/evaluation/evaluation_json.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/uncertainty/predictive.h"
#include "cubcal/version.h"

namespace cubcal {
namespace {

using Json = nlohmann::ordered_json;

/// Of class 0, with the label.
struct Case {
  double probability;
  std::int64_t label;
};

/// Right and wrong, below and above the default threshold of 0.325 nats.
const std::vector<Case> kCases = {{0.95, 0}, {0.6, 1}, {0.2, 1}, {0.05, 0}, {0.98, 0}};

double entropy(double p) { return -p * std::log(p) - (1 - p) * std::log(1 - p); }

Evaluation evaluated(const std::vector<Case>& cases, const EvaluationPlan& plan = {},
                     const std::vector<std::string>& groups = {}) {
  std::vector<double> logits;
  std::vector<std::int64_t> labels;
  for (const Case& each : cases) {
    logits.push_back(std::log(each.probability));
    logits.push_back(std::log(1 - each.probability));
    labels.push_back(each.label);
  }
  Evaluation evaluation = evaluate_prediction(predict(McLogits(logits.data(), 1, cases.size(), 2)),
                                              labels, groups, plan);
  evaluation.file = "test.npz";
  evaluation.passes = 1;
  evaluation.class_names = {"benign", "malignant"};
  return evaluation;
}

TEST(EvaluationJson, SaysWhatAurcDoesWithEqualUncertainty) {
  const std::vector<Case> right_first = {{0.9, 0}, {0.9, 0}, {0.9, 1}, {0.9, 1}};
  const std::vector<Case> wrong_first(right_first.rbegin(), right_first.rend());
  const auto aurc = [](const std::vector<Case>& cases) {
    return evaluation_document(evaluated(cases))["metrics"]["aurc"].get<double>();
  };
  EXPECT_LT(aurc(right_first), aurc(wrong_first));
  EXPECT_EQ(convention_json({})["aurc"],
            "mean risk over all coverages by U; equal U in the order of the file");
}

TEST(EvaluationJson, HasTheValuesOfAWorkedExample) {
  const Json json = evaluation_document(evaluated(kCases));
  EXPECT_EQ(json.begin().key(), "cubcal");
  EXPECT_EQ(json["cubcal"], kVersion);
  EXPECT_EQ(json["samples"], 5);
  EXPECT_EQ(json["classes"], 2);
  const Json& metrics = json["metrics"];
  const auto expect = [&](const char* key, double value) {
    EXPECT_NEAR(metrics[key].get<double>(), value, 1e-12) << key;
  };
  expect("accuracy", 3.0 / 5);
  expect("balanced_accuracy", (2.0 / 3 + 1.0 / 2) / 2);
  expect("nll",
         -(std::log(0.95) + std::log(0.4) + std::log(0.8) + std::log(0.05) + std::log(0.98)) / 5);
  expect("brier", 2 * (0.05 * 0.05 + 0.6 * 0.6 + 0.2 * 0.2 + 0.95 * 0.95 + 0.02 * 0.02) / 5);
  const double correct = (entropy(0.95) + entropy(0.2) + entropy(0.98)) / 3;
  const double incorrect = (entropy(0.6) + entropy(0.05)) / 2;
  expect("u_correct", correct);
  expect("u_incorrect", incorrect);
  expect("delta_u", incorrect - correct);
  expect("avu", 3.0 / 5);
  EXPECT_EQ(metrics["n_ac"].dump(), "2") << "counts are whole numbers";
  EXPECT_EQ(metrics["n_au"].dump(), "1");
  EXPECT_EQ(metrics["n_ic"].dump(), "1");
  EXPECT_EQ(metrics["n_iu"].dump(), "1");
  EXPECT_EQ(json["confusion"].dump(), "[[2,1],[1,1]]");
}

TEST(EvaluationJson, HasRowsOfClassesBinsAndCoverages) {
  const Json json = evaluation_document(evaluated(kCases));
  const Json& benign = json["per_class"][0];
  EXPECT_EQ(benign["name"], "benign");
  EXPECT_EQ(benign["support"], 3);
  EXPECT_EQ(benign["predicted"], 3);
  EXPECT_DOUBLE_EQ(benign["recall"], 2.0 / 3);
  EXPECT_DOUBLE_EQ(benign["precision"], 2.0 / 3);
  EXPECT_DOUBLE_EQ(json["per_class"][1]["f1"], 0.5);
  std::uint64_t count = 0;
  for (const Json& bin : json["bins"]["ece"]) {
    count += bin["count"].get<std::uint64_t>();
    EXPECT_EQ(bin["accuracy"].is_null(), bin["count"] == 0) << bin;
  }
  EXPECT_EQ(count, 5U);
  const Json& selective = json["selective"]["by_confidence"]["accuracy_at_coverage"];
  EXPECT_EQ(selective.back()["coverage"], 1.0);
  EXPECT_DOUBLE_EQ(selective.back()["accuracy"], 3.0 / 5);
}

TEST(EvaluationJson, WhatIsNotDefinedIsNull) {
  const Json json = evaluation_document(evaluated({{0.9, 0}, {0.8, 0}}));
  EXPECT_EQ(json["metrics"]["accuracy"], 1.0);
  EXPECT_TRUE(json["metrics"]["u_incorrect"].is_null()) << "no answer is wrong";
  EXPECT_TRUE(json["metrics"]["delta_u"].is_null());
  EXPECT_TRUE(json["per_class"][1]["recall"].is_null()) << "no sample is of it";
  EXPECT_TRUE(json["per_class"][1]["precision"].is_null()) << "no answer is it";
  EXPECT_TRUE(json["calibration"].is_null());
  EXPECT_FALSE(json.contains("clinical"));
  EXPECT_FALSE(json.contains("ood"));
}

TEST(EvaluationJson, IntervalsAreThereWhereTheyWereAskedFor) {
  const Json without = evaluation_document(evaluated(kCases));
  EXPECT_TRUE(without["intervals"].is_null());
  EXPECT_TRUE(without["bootstrap"].is_null());
  EvaluationPlan plan;
  plan.bootstrap = BootstrapOptions{};
  plan.bootstrap->replicates = 50;
  const Json with = evaluation_document(evaluated(kCases, plan));
  ASSERT_EQ(with["intervals"]["accuracy"].size(), 2U);
  EXPECT_LE(with["intervals"]["accuracy"][0], 0.6);
  EXPECT_GE(with["intervals"]["accuracy"][1], 0.6);
  EXPECT_EQ(with["bootstrap"]["replicates"], 50);
  EXPECT_EQ(with["bootstrap"]["unit"], "sample");
  EXPECT_EQ(
      evaluation_document(evaluated(kCases, plan, {"a", "a", "b", "b", "c"}))["bootstrap"]["unit"],
      "group");
}

TEST(EvaluationJson, SeveralFilesAreAListWithTheirNames) {
  Evaluation other = evaluated({{0.9, 0}, {0.8, 1}});
  other.file = "other.npz";
  const Json json = Json::parse(evaluations_json({evaluated(kCases), other}));
  ASSERT_EQ(json["evaluations"].size(), 2U);
  EXPECT_EQ(json["evaluations"][0].begin().key(), "file");
  EXPECT_EQ(json["evaluations"][1]["file"], "other.npz");
  Json alone = evaluation_document(other);
  alone.erase("cubcal");
  Json row = json["evaluations"][1];
  row.erase("file");
  EXPECT_EQ(row.dump(), alone.dump()) << "each says what it says alone";
  EXPECT_EQ(Json::parse(evaluation_json(other)), evaluation_document(other));
}

TEST(EvaluationJson, PartsCanBeHadAlone) {
  EXPECT_TRUE(interval_json(std::nullopt).is_null());
  EXPECT_EQ(interval_json(Interval{0.25, 0.5, 100}).dump(), "[0.25,0.5]");
  MetricValues p_values;
  p_values[Metric::kAccurateCertain] = 0.03;
  EXPECT_EQ(p_values_json(p_values)["n_ac"], 0.03) << "a p-value of a count is no count";
  EXPECT_TRUE(p_values_json(p_values)["accuracy"].is_null());
  MetricIntervals intervals;
  intervals[static_cast<std::size_t>(Metric::kNll)] = Interval{1, 2, 9};
  EXPECT_EQ(intervals_json(intervals)["nll"].dump(), "[1.0,2.0]");
  EXPECT_EQ(intervals_json(intervals).size(), kMetricCount);
}

TEST(OutputDetection, TellsOutliersByScoresOfLogits) {
  const std::vector<double> sure = {3, 0, 3, 0}, unsure = {0.1, 0, 0, 0.2};
  const Detection detection = output_detection(predict(McLogits(sure.data(), 1, 2, 2)),
                                               predict(McLogits(unsure.data(), 1, 2, 2)), "far");
  EXPECT_EQ(detection.title, "far");
  ASSERT_EQ(detection.rows.size(), 3U);
  ASSERT_TRUE(detection.rows[1].metrics);
  EXPECT_EQ(detection.rows[1].metrics->auroc, 1) << "every outlier is less certain";
}

}  // namespace
}  // namespace cubcal
