#include "cubcal/prevalence/study.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/metrics/classification.h"
#include "expect_error.h"
#include "metrics/predictive_rows.h"
#include "prevalence/drawn_samples.h"
#include "random_logits.h"

namespace cubcal {
namespace {

const ClassShares kOld{0.5, 0.3, 0.2};
const ClassShares kNew{0.1, 0.3, 0.6};

PrevalenceOptions stated(const ClassShares& to) {
  PrevalenceOptions options;
  options.to = to;
  return options;
}

// Weights make of old samples what new ones are: metrics agree with those of a large new sample.
TEST(Study, WeighedMetricsAreThoseOfTheNewPlace) {
  const auto old_place = test::drawn_samples(40000, kOld, kOld, 1);
  const auto new_place = test::drawn_samples(40000, kNew, kOld, 2);
  PrevalenceOptions options = stated(kNew);
  options.accept_up_to = 0.4;
  const PrevalenceStudy study =
      study_prevalence({old_place.predictive, old_place.labels, {}}, std::nullopt, options);
  const SampleFacts there = sample_facts(new_place.predictive, new_place.labels, {});
  const MetricValues truth = weighted_metric_values(there, {});
  EXPECT_NEAR(*study.there.values[Metric::kAccuracy], *truth[Metric::kAccuracy], 0.01);
  EXPECT_NEAR(*study.there.values[Metric::kNll], *truth[Metric::kNll], 0.02);
  EXPECT_NEAR(*study.there.values[Metric::kEce], *truth[Metric::kEce], 0.01);
  EXPECT_NEAR(*study.there.values[Metric::kAvu], *truth[Metric::kAvu], 0.01);
  EXPECT_NEAR(*study.there.accepted->error, *accepted_answers(there, {}, 0.4).error, 0.01);
  // The exact probabilities of the new place are calibrated there, and better than the old ones.
  EXPECT_LT(*study.corrected.values[Metric::kEce], 0.01);
  EXPECT_LT(*study.corrected.values[Metric::kNll], *study.there.values[Metric::kNll]);
  ASSERT_TRUE(study.there.kept);
  EXPECT_LE(*study.there.kept->error, *study.here.accepted->error + 1e-9);
}

TEST(Study, ToTheOwnPrevalenceChangesNothing) {
  const auto drawn = test::drawn_samples(500, kOld, kOld, 3);
  const ClassShares own = label_shares(drawn.labels, 3);
  PrevalenceOptions options = stated(own);
  options.from = own;
  const PrevalenceStudy study =
      study_prevalence({drawn.predictive, drawn.labels, {}}, std::nullopt, options);
  EXPECT_NEAR(study.effective_samples, 500, 1e-9);
  for (const Metric metric : kWeightedMetrics) {
    EXPECT_NEAR(*study.here.values[metric], *study.there.values[metric], 1e-12);
    EXPECT_NEAR(*study.here.values[metric], *study.corrected.values[metric], 1e-12);
  }
}

TEST(Study, EffectiveSamplesAreKishs) {
  const Predictive four = test::predictive_rows({{0.7, 0.3}, {0.6, 0.4}, {0.8, 0.2}, {0.1, 0.9}});
  const std::vector<std::int64_t> labels{0, 0, 0, 1};
  const PrevalenceStudy study =
      study_prevalence({four, labels, {}}, std::nullopt, stated({0.25, 0.75}));
  // Weights 1/3, 1/3, 1/3 and 3: 4^2 / (1/3 + 9).
  EXPECT_NEAR(study.effective_samples, 16 / (1.0 / 3 + 9), 1e-12);
  EXPECT_NEAR(study.class_weights[1], 3, 1e-12);
}

TEST(Study, AClassWithoutLabelsMayOnlyBeGone) {
  const Predictive two = test::predictive_rows({{0.6, 0.3, 0.1}, {0.3, 0.6, 0.1}});
  const std::vector<std::int64_t> labels{0, 1};
  PrevalenceOptions options = stated({0.5, 0.25, 0.25});
  options.class_names = {"a", "b", "rare"};
  test::expect_error<DataError>(
      [&] {
        study_prevalence({two, labels, {}}, std::nullopt, options);
      },
      "no labelled sample is of the class 'rare', so that its prevalence cannot become 0.25");
  test::expect_error<DataError>(
      [&] {
        study_prevalence({two, labels, {}}, NewSamples{two, {}}, {});
      },
      "no labelled sample is of the class '2', so that its prevalence cannot be estimated");
  EXPECT_NO_THROW(study_prevalence({two, labels, {}}, std::nullopt, stated({0.9, 0.1, 0})));
}

TEST(Study, RefusesWhatMakesNoSense) {
  const auto drawn = test::drawn_samples(50, kOld, kOld, 3);
  const LabelledSamples labelled{drawn.predictive, drawn.labels, {}};
  test::expect_error<ArgumentError>([&] { study_prevalence(labelled, std::nullopt, {}); },
                                    "must be stated or estimated");
  test::expect_error<ArgumentError>(
      [&] {
        study_prevalence(labelled, std::nullopt, stated({0.5, 0.2, 0.2}));
      },
      "the new prevalence must sum to 1");
  PrevalenceOptions options = stated(kNew);
  options.accept_up_to = std::nan("");
  test::expect_error<ArgumentError>([&] { study_prevalence(labelled, std::nullopt, options); },
                                    "the uncertainty up to which answers are accepted");
  const Predictive sure = test::predictive_rows({{1, 0}, {1, 0}, {0, 1}, {0, 1}});
  const std::vector<std::int64_t> labels{0, 1, 1, 1};
  test::expect_error<DataError>(
      [&] {
        study_prevalence({sure, labels, {}}, std::nullopt, stated({0.5, 0.5}));
      },
      "stated by the option 'from'");
}

TEST(Study, IntervalsDoNotDependOnThreadsAndHoldTheValue) {
  const auto drawn = test::drawn_samples(200, kOld, kOld, 3);
  const auto fresh = test::drawn_samples(200, kNew, kOld, 4);
  PrevalenceOptions options;
  options.accept_up_to = 0.4;
  options.bootstrap = BootstrapOptions{40, 0.95, 1};
  std::vector<PrevalenceStudy> studies;
  for (const std::size_t threads : {std::size_t{1}, std::size_t{3}}) {
    const test::Threads scope(threads);
    studies.push_back(study_prevalence({drawn.predictive, drawn.labels, {}},
                                       NewSamples{fresh.predictive, {}}, options));
  }
  const ShiftEstimate& estimate = *studies[0].estimate;
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(estimate.em_intervals[k]->low, studies[1].estimate->em_intervals[k]->low);
    EXPECT_LE(estimate.em_intervals[k]->low, estimate.em.prevalence[k]);
    EXPECT_GE(estimate.em_intervals[k]->high, estimate.em.prevalence[k]);
  }
  for (const Metric metric : kWeightedMetrics) {
    const auto m = static_cast<std::size_t>(metric);
    EXPECT_EQ(studies[0].corrected.intervals[m]->high, studies[1].corrected.intervals[m]->high);
  }
  EXPECT_EQ(studies[0].corrected.kept_error->high, studies[1].corrected.kept_error->high);
}

// Replicates of a stated prevalence keep it: plain resampled sums, one by one.
TEST(Study, IntervalsAreThoseOfResampledGroups) {
  const auto drawn = test::drawn_samples(90, kOld, kOld, 8);
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < 90; ++i) groups.push_back(std::to_string(i / 3));
  PrevalenceOptions options = stated(kNew);
  options.from = kOld;
  options.bootstrap = BootstrapOptions{50, 0.9, 5};
  const PrevalenceStudy study =
      study_prevalence({drawn.predictive, drawn.labels, groups}, std::nullopt, options);
  const ResamplingUnits units = resampling_units(90, groups, "samples");
  std::vector<double> values;
  for (std::size_t r = 0; r < 50; ++r) {
    SeedStream stream(5, 2 * r);
    const std::vector<std::uint32_t> counts = draw_counts(units, stream);
    const ClassShares labels = label_shares(drawn.labels, 3, SampleCounts(counts));
    std::vector<double> weights;
    for (std::size_t i = 0; i < 90; ++i) {
      const auto k = static_cast<std::size_t>(drawn.labels[i]);
      weights.push_back(counts[i] * kNew[k] / labels[k]);
    }
    values.push_back(accuracy(study.here.facts, SampleWeights(weights)));
  }
  const Interval expected = percentile_interval(values, 0.9);
  const auto& found = study.there.intervals[static_cast<std::size_t>(Metric::kAccuracy)];
  EXPECT_NEAR(found->low, expected.low, 1e-12);
  EXPECT_NEAR(found->high, expected.high, 1e-12);
}

}  // namespace
}  // namespace cubcal
