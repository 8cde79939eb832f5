#include "cubcal/metrics/bootstrap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal/metrics/classification.h"
#include "expect_error.h"
#include "metrics/predictive_rows.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::expect_error;
using test::LogitSet;
using test::LogitShape;
using test::random_logits;
using test::Threads;

SampleFacts facts_of(const LogitSet& set) {
  return sample_facts(predict(set.view()), set.labels, {});
}

const Interval& interval(const MetricIntervals& intervals, Metric metric) {
  return intervals[static_cast<std::size_t>(metric)].value();
}

double width(const Interval& of) { return of.high - of.low; }

void expect_same_bits(const MetricIntervals& a, const MetricIntervals& b) {
  for (const MetricInfo& info : metric_infos()) {
    const std::size_t i = static_cast<std::size_t>(info.metric);
    ASSERT_EQ(a[i].has_value(), b[i].has_value()) << info.key;
    if (!a[i]) continue;
    EXPECT_EQ(a[i]->low, b[i]->low) << info.key;
    EXPECT_EQ(a[i]->high, b[i]->high) << info.key;
    EXPECT_EQ(a[i]->replicates, b[i]->replicates) << info.key;
  }
}

std::vector<std::string> one_group_each(std::size_t samples) {
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < samples; ++i) groups.push_back("patient " + std::to_string(i));
  return groups;
}

/// `share` of 100 answers right, drawn at random.
SampleFacts bernoulli(double share, std::size_t samples, std::uint64_t seed) {
  SeedStream stream(seed, 77);
  std::vector<double> entropies;
  std::vector<int> correct;
  for (std::size_t i = 0; i < samples; ++i) {
    entropies.push_back(0.6 * stream.uniform());
    correct.push_back(stream.uniform() < share ? 1 : 0);
  }
  return test::facts_of_answers(entropies, correct);
}

/// Each sample of `set` `copies` times in a row.
LogitSet copied(const LogitSet& set, std::size_t copies) {
  LogitSet result{set.passes, set.samples * copies, set.classes, {}, {}};
  for (std::size_t s = 0; s < set.passes; ++s) {
    for (std::size_t i = 0; i < result.samples; ++i) {
      for (std::size_t k = 0; k < set.classes; ++k) {
        result.values.push_back(set.at(s, i / copies, k));
      }
    }
  }
  for (std::size_t i = 0; i < result.samples; ++i) result.labels.push_back(set.labels[i / copies]);
  return result;
}

std::vector<std::string> groups_of_copies(std::size_t samples, std::size_t copies) {
  std::vector<std::string> groups;
  for (std::size_t i = 0; i < samples * copies; ++i) groups.push_back(std::to_string(i / copies));
  return groups;
}

TEST(Bootstrap, DependsOnTheSeedAlone) {
  const SampleFacts facts = facts_of(random_logits({}, 1));
  const auto with = [&](std::size_t threads, std::uint64_t seed) {
    const Threads scope(threads);
    return bootstrap_intervals(facts, {}, {200, 0.95, seed});
  };
  const MetricIntervals one = with(1, 5);
  expect_same_bits(one, with(1, 5));
  for (const std::size_t threads : {2, 3, 7}) expect_same_bits(one, with(threads, 5));
  EXPECT_NE(interval(one, Metric::kNll).low, interval(with(1, 6), Metric::kNll).low);
}

TEST(Bootstrap, TakesPercentilesOfTheReplicates) {
  const SampleFacts facts = bernoulli(0.7, 50, 1);
  std::vector<double> accuracies;
  for (std::uint64_t r = 0; r < 101; ++r) {
    SeedStream stream(9, r);
    double hits = 0;
    for (int i = 0; i < 50; ++i) hits += facts.correct[stream.below(50)];
    accuracies.push_back(hits / 50);
  }
  std::sort(accuracies.begin(), accuracies.end());
  // 10% and 90% of 101 values are the 10th and the 90th after the smallest.
  const Interval actual =
      interval(bootstrap_intervals(facts, {}, {101, 0.8, 9}), Metric::kAccuracy);
  EXPECT_NEAR(actual.low, accuracies[10], 1e-15);
  EXPECT_NEAR(actual.high, accuracies[90], 1e-15);
  EXPECT_EQ(actual.replicates, 101U);
}

TEST(Bootstrap, InterpolatesBetweenReplicates) {
  const SampleFacts facts = facts_of(random_logits({}, 2));
  const Interval all = interval(bootstrap_intervals(facts, {}, {2, 0.5, 1}), Metric::kNll);
  const Interval ends = interval(bootstrap_intervals(facts, {}, {2, 1 - 1e-12, 1}), Metric::kNll);
  EXPECT_NEAR(all.low, ends.low + 0.25 * width(ends), 1e-10);
  EXPECT_NEAR(all.high, ends.low + 0.75 * width(ends), 1e-10);
}

TEST(Bootstrap, CoversTheTruthAboutAsOftenAsItSays) {
  int covered = 0;
  constexpr int trials = 400;
  for (int trial = 0; trial < trials; ++trial) {
    const SampleFacts facts = bernoulli(0.8, 100, static_cast<std::uint64_t>(trial));
    const Interval found =
        interval(bootstrap_intervals(facts, {}, {200, 0.95, 3}), Metric::kAccuracy);
    if (found.low <= 0.8 && 0.8 <= found.high) ++covered;
  }
  EXPECT_GE(covered, trials * 90 / 100);
  EXPECT_LE(covered, trials * 98 / 100);
}

TEST(Bootstrap, HoldsThePointEstimate) {
  const SampleFacts facts = facts_of(random_logits({}, 3));
  const MetricIntervals intervals = bootstrap_intervals(facts, {}, {500, 0.95, 0});
  const MetricValues values = metric_values(facts);
  for (const Metric metric : {Metric::kAccuracy, Metric::kNll, Metric::kBrier, Metric::kAvu,
                              Metric::kDeltaU, Metric::kAurc, Metric::kAccurateCertain}) {
    EXPECT_LT(interval(intervals, metric).low, values[metric].value());
    EXPECT_GT(interval(intervals, metric).high, values[metric].value());
  }
}

TEST(Bootstrap, OfGroupsOfOneIsThatOfSamples) {
  const SampleFacts facts = facts_of(random_logits({}, 4));
  expect_same_bits(bootstrap_intervals(facts, {}, {100, 0.95, 1}),
                   bootstrap_intervals(facts, one_group_each(facts.samples), {100, 0.95, 1}));
}

TEST(Bootstrap, OfGroupsSeesThroughCopies) {
  const LogitSet set = random_logits({}, 5);
  const SampleFacts single = facts_of(set);
  const SampleFacts four = facts_of(copied(set, 4));
  const BootstrapOptions options{300, 0.95, 2};
  const MetricIntervals honest = bootstrap_intervals(single, {}, options);
  const MetricIntervals grouped =
      bootstrap_intervals(four, groups_of_copies(set.samples, 4), options);
  const MetricIntervals naive = bootstrap_intervals(four, {}, options);
  for (const Metric metric : {Metric::kAccuracy, Metric::kNll, Metric::kBrier, Metric::kAvu}) {
    EXPECT_GT(width(interval(grouped, metric)), 1.5 * width(interval(naive, metric)));
    EXPECT_NEAR(interval(grouped, metric).low, interval(honest, metric).low, 1e-12);
    EXPECT_NEAR(interval(grouped, metric).high, interval(honest, metric).high, 1e-12);
  }
}

TEST(Bootstrap, LeavesUndefinedMetricsOut) {
  const auto all_right = bootstrap_intervals(bernoulli(1.0, 20, 1), {}, {50, 0.95, 0});
  EXPECT_FALSE(all_right[static_cast<std::size_t>(Metric::kDeltaU)].has_value());
  EXPECT_FALSE(all_right[static_cast<std::size_t>(Metric::kUIncorrect)].has_value());
  EXPECT_EQ(interval(all_right, Metric::kUCorrect).replicates, 50U);
  // One wrong answer among ten is missing from a third of the replicates.
  const SampleFacts one_wrong = test::facts_of_answers(
      {0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.5}, {1, 1, 1, 1, 1, 1, 1, 1, 1, 0});
  const auto some = bootstrap_intervals(one_wrong, {}, {300, 0.95, 0});
  EXPECT_GT(interval(some, Metric::kDeltaU).replicates, 150U);
  EXPECT_LT(interval(some, Metric::kDeltaU).replicates, 250U);
  EXPECT_NEAR(interval(some, Metric::kDeltaU).low, 0.4, 1e-12);
}

TEST(Bootstrap, RefusesBadOptions) {
  const SampleFacts facts = bernoulli(0.5, 20, 1);
  expect_error<ArgumentError>(
      [&] {
        bootstrap_intervals(facts, {}, {0, 0.95, 0});
      },
      "the number of bootstrap replicates must be at least 1, not 0");
  expect_error<ArgumentError>(
      [&] {
        bootstrap_intervals(facts, {}, {10, 1.0, 0});
      },
      "the interval level must be in (0, 1), not 1");
  expect_error<ArgumentError>(
      [&] {
        bootstrap_intervals(facts, {"a", "b"}, {});
      },
      "groups has 2 entries but labels has 20");
}

TEST(PairedBootstrap, OfASetWithItselfIsExactlyZero) {
  const SampleFacts facts = facts_of(random_logits({}, 6));
  const PairedDifference paired = paired_bootstrap(facts, facts, {}, {100, 0.95, 0});
  for (const MetricInfo& info : metric_infos()) {
    EXPECT_EQ(paired.difference[info.metric], 0.0) << info.key;
    EXPECT_EQ(interval(paired.intervals, info.metric).low, 0.0) << info.key;
    EXPECT_EQ(interval(paired.intervals, info.metric).high, 0.0) << info.key;
  }
}

/// The same samples, seen a little differently.
LogitSet disturbed(LogitSet set, double size, std::uint64_t seed) {
  SeedStream stream(seed, 5);
  for (double& value : set.values) value = 0.9 * value + size * stream.normal();
  return set;
}

TEST(PairedBootstrap, SubtractsTheFirstFromTheSecond) {
  const LogitSet set = random_logits({}, 7);
  const SampleFacts a = facts_of(set);
  const SampleFacts b = facts_of(disturbed(set, 0.2, 1));
  const BootstrapOptions options{300, 0.95, 4};
  const PairedDifference forth = paired_bootstrap(a, b, {}, options);
  const PairedDifference back = paired_bootstrap(b, a, {}, options);
  for (const MetricInfo& info : metric_infos()) {
    EXPECT_EQ(forth.difference[info.metric].value(),
              metric_values(b)[info.metric].value() - metric_values(a)[info.metric].value());
    EXPECT_NEAR(interval(forth.intervals, info.metric).low,
                -interval(back.intervals, info.metric).high, 1e-12)
        << info.key;
  }
  // Both sides move together, so their difference varies less than either.
  EXPECT_LT(width(interval(forth.intervals, Metric::kNll)),
            0.5 * width(interval(bootstrap_intervals(a, {}, options), Metric::kNll)));
}

// Counted by hand over the same resamples.
TEST(PairedBootstrap, PValuesCountTheSideOfZero) {
  LogitSet set = random_logits({}, 5);
  const SampleFacts a = facts_of(set);
  for (double& value : set.values) value *= 1.05;
  const SampleFacts b = facts_of(set);
  const PairedDifference paired = paired_bootstrap(a, b, {}, {99, 0.95, 2});
  const ResamplingUnits units = resampling_units(a.samples, std::vector<std::string>{}, "labels");
  double not_above = 0;
  double not_below = 0;
  for (std::uint64_t r = 0; r < 99; ++r) {
    SeedStream stream(2, r);
    const std::vector<std::uint32_t> counts = draw_counts(units, stream);
    const double d = negative_log_likelihood(b, SampleCounts(counts)) -
                     negative_log_likelihood(a, SampleCounts(counts));
    not_above += d <= 0;
    not_below += d >= 0;
  }
  EXPECT_NEAR(*paired.p_values[Metric::kNll],
              std::min(1.0, 2 * (std::min(not_above, not_below) + 1) / 100), 1e-12);
  EXPECT_EQ(paired.p_values[Metric::kAccuracy], 1.0) << "scaling changes no answer";
}

TEST(PairedBootstrap, DependsNeitherOnThreadsNorOnGroupsOfOne) {
  const LogitSet set = random_logits({}, 8);
  const SampleFacts a = facts_of(set);
  const SampleFacts b = facts_of(disturbed(set, 0.2, 2));
  const auto with = [&](std::size_t threads, const std::vector<std::string>& groups) {
    const Threads scope(threads);
    return paired_bootstrap(a, b, groups, {60, 0.9, 4}).intervals;
  };
  const MetricIntervals one = with(1, {});
  expect_same_bits(one, with(3, {}));
  expect_same_bits(one, with(2, one_group_each(a.samples)));
}

TEST(PairedBootstrap, NeedsTheSameSamplesOnBothSides) {
  LogitSet set = random_logits({}, 9);
  const SampleFacts a = facts_of(set);
  set.labels[5] = (set.labels[5] + 1) % 3;
  set.labels[9] = (set.labels[9] + 1) % 3;
  expect_error<DataError>([&] { paired_bootstrap(a, facts_of(set), {}, {}); },
                          "a paired comparison needs the same labels on both sides; they first "
                          "differ at sample 5");
  LogitShape wide;
  wide.classes = 4;
  expect_error<DataError>(
      [&] { paired_bootstrap(a, facts_of(random_logits(wide, 9)), {}, {}); },
      "a paired comparison needs the same samples and classes on both sides, not N=200, K=3 and "
      "N=200, K=4");
  LogitShape few;
  few.samples = 7;
  expect_error<DataError>([&] { paired_bootstrap(a, facts_of(random_logits(few, 9)), {}, {}); },
                          "not N=200, K=3 and N=7, K=3");
}

}  // namespace
}  // namespace cubcal
