#include "cubcal/evaluate.h"

#include <gtest/gtest.h>

#include "cubcal/metrics/bootstrap.h"
#include "cubcal/metrics/clinical.h"
#include "cubcal/uncertainty/predictive.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal::test {
namespace {

TEST(EvaluateArrays, EveryMetricIsTheLibrarys) {
  const LogitSet set = random_logits({}, 3);
  const EvaluationSummary summary = evaluate(set.view(), set.labels);
  const MetricValues values = metric_values(sample_facts(predict(set.view()), set.labels, {}));
  EXPECT_EQ(summary.samples, 200U);
  EXPECT_EQ(summary.classes, 3U);
  ASSERT_EQ(summary.metrics.size(), kMetricCount);
  for (const MetricInfo& info : metric_infos()) {
    const MetricResult& result = summary[info.key];
    EXPECT_EQ(result.value, values[info.metric]) << info.key;
    EXPECT_EQ(result.label, info.label);
    EXPECT_EQ(result.better, info.better);
    EXPECT_FALSE(result.low || result.high) << "no intervals unless asked for";
  }
}

TEST(EvaluateArrays, ProbabilitiesCountAsTheyAre) {
  const std::vector<double> rows{0.2, 0.8, 1,   0,
                                 0.4, 0.6, 0.7, 0.3};  // two passes over two samples
  const Predictive predictive = predictive_of_probabilities(McLogits(rows.data(), 2, 2, 2));
  EXPECT_EQ(predictive.probabilities,
            (std::vector<double>{(0.2 + 0.4) / 2, (0.8 + 0.6) / 2, (1 + 0.7) / 2, 0.3 / 2}));
  const std::vector<double> one(rows.begin(), rows.begin() + 4);
  EXPECT_EQ(predictive_of_probabilities(McLogits(one.data(), 1, 2, 2)).probabilities, one);
  const std::vector<double> bad{0.2, 1.8};
  expect_error<DataError>([&] { predictive_of_probabilities(McLogits(bad.data(), 1, 1, 2)); },
                          "takes numbers from 0 to 1");
}

TEST(EvaluateArrays, DefaultsAreTheProgramsOwn) {
  const EvaluationOptions options;
  const MetricOptions metrics;
  EXPECT_EQ(options.uncertainty_threshold, metrics.uncertainty_threshold);
  EXPECT_EQ(options.gamma, metrics.gamma);
  EXPECT_EQ(options.bins, metrics.bins);
}

TEST(EvaluateArrays, IntervalsAreByGroupWhereThereAreGroups) {
  const LogitSet set = random_logits({}, 4);
  EvaluationOptions options;
  options.replicates = 200;
  const EvaluationSummary alone = evaluate(set.view(), set.labels, options);
  for (std::size_t i = 0; i < set.samples; ++i) {
    options.groups.push_back("patient" + std::to_string(i / 20));
  }
  const EvaluationSummary grouped = evaluate(set.view(), set.labels, options);
  EXPECT_LT(*alone["accuracy"].low, *alone["accuracy"].value);
  EXPECT_GT(*alone["accuracy"].high, *alone["accuracy"].value);
  EXPECT_EQ(alone["accuracy"].value, grouped["accuracy"].value);
  EXPECT_NE(alone["accuracy"].low, grouped["accuracy"].low);
}

TEST(EvaluateArrays, ClinicalMetricsWhereAskedFor) {
  const LogitSet set = random_logits({}, 6);
  EvaluationOptions options;
  options.clinical = true;
  options.replicates = 50;
  const EvaluationSummary summary = evaluate(set.view(), set.labels, options);
  const Predictive predictive = predict(set.view());
  const SampleFacts facts = sample_facts(predictive, set.labels, {});
  EXPECT_EQ(summary.metrics.size(), kMetricCount + kClinicalCount);
  EXPECT_EQ(summary["auroc"].value,
            ClinicalMetrics(facts, predictive).values()[ClinicalMetric::kAuroc]);
  EXPECT_LT(*summary["auroc"].low, *summary["auroc"].high);
}

TEST(EvaluateArrays, AnUndefinedMetricHoldsNothing) {
  const std::vector<float> z = {4, 0, 0, 4};
  const EvaluationSummary summary = evaluate(McLogits(z.data(), 1, 2, 2), {0, 1});
  EXPECT_EQ(*summary["accuracy"].value, 1);
  EXPECT_FALSE(summary["u_incorrect"].value);
}

TEST(EvaluateArrays, ErrorsAreOneSentence) {
  const LogitSet set = random_logits({}, 5);
  const EvaluationSummary summary = evaluate(set.view(), set.labels);
  expect_error<ArgumentError>([&] { summary["f1"]; }, "no metric 'f1': there are accuracy, ");
  expect_error<DataError>([&] { evaluate(set.view(), {0, 1}); }, "200");
  EvaluationOptions options;
  options.replicates = 10;
  options.groups = {"one"};
  expect_error<ArgumentError>([&] { evaluate(set.view(), set.labels, options); },
                              "groups has 1 entries but labels has 200");
}

}  // namespace
}  // namespace cubcal::test
