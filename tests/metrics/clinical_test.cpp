#include "cubcal/metrics/clinical.h"

#include <gtest/gtest.h>

#include <cmath>

#include "expect_error.h"
#include "metrics/predictive_rows.h"
#include "random_logits.h"

namespace cubcal {
namespace {

constexpr std::size_t kSamples = 150;

struct Case {
  Predictive predictive;
  SampleFacts facts;
};

/// Probabilities in fiftieths, so that there are ties.
Case make_case(std::uint64_t seed, std::size_t classes = 4) {
  test::LogitShape shape;
  shape.classes = classes;
  shape.samples = kSamples;
  shape.strength = 2;
  const test::LogitSet set = test::random_logits(shape, seed);
  Case made{predict(set.view()), {}};
  for (double& p : made.predictive.probabilities) p = std::round(p * 50) / 50;
  made.facts = sample_facts(made.predictive, set.labels, {});
  return made;
}

ClinicalOptions all_rules() {
  ClinicalOptions options;
  options.rules = {{PointRule::kAnswer, 0},
                   {PointRule::kThreshold, 0.4},
                   {PointRule::kSensitivity, 0.9},
                   {PointRule::kSpecificity, 0.9}};
  return options;
}

double p_of(const Case& made, std::size_t i, std::size_t k) {
  return made.predictive.probabilities[i * made.facts.classes + k];
}

// Every pair of a positive and a negative sample.
TEST(Clinical, AurocIsTheShareOfPairsInOrder) {
  const Case made = make_case(1);
  const ClinicalValues values = ClinicalMetrics(made.facts, made.predictive).values();
  double mean = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    double won = 0;
    double pairs = 0;
    for (std::size_t i = 0; i < kSamples; ++i) {
      for (std::size_t j = 0; j < kSamples; ++j) {
        if (made.facts.labels[i] != static_cast<std::int64_t>(k)) continue;
        if (made.facts.labels[j] == static_cast<std::int64_t>(k)) continue;
        pairs += 1;
        won += p_of(made, i, k) > p_of(made, j, k)    ? 1.0
               : p_of(made, i, k) == p_of(made, j, k) ? 0.5
                                                      : 0.0;
      }
    }
    EXPECT_NEAR(*values.of_class(k, ClassMetric::kAuroc), won / pairs, 1e-12);
    mean += won / pairs / 4;
  }
  EXPECT_NEAR(*values[ClinicalMetric::kAuroc], mean, 1e-12);
}

TEST(Clinical, AMissingClassIsUndefinedAndLeftOutOfTheMean) {
  const Case made = make_case(3);
  std::vector<std::int64_t> labels = made.facts.labels;
  for (std::int64_t& label : labels) label = label == 3 ? 0 : label;
  const SampleFacts facts = sample_facts(made.predictive, labels, {});
  const ClinicalValues values = ClinicalMetrics(facts, made.predictive).values();
  EXPECT_FALSE(values.of_class(3, ClassMetric::kAuroc));
  EXPECT_FALSE(values.at_point(0, 3, PointMetric::kSensitivity));
  EXPECT_TRUE(values.at_point(0, 3, PointMetric::kSpecificity));
  EXPECT_FALSE(values.confusion[3 * 4]);
  double mean = 0;
  for (std::size_t k = 0; k < 3; ++k) mean += *values.of_class(k, ClassMetric::kAuroc) / 3;
  EXPECT_NEAR(*values[ClinicalMetric::kAuroc], mean, 1e-12);
}

TEST(Clinical, OneClassAllRightLeavesMostUndefined) {
  const std::vector<std::vector<double>> rows(10, {0.3, 0.7});
  const Predictive predictive = test::predictive_rows(rows);
  const SampleFacts facts = sample_facts(predictive, std::vector<std::int64_t>(10, 1), {});
  const ClinicalMetrics metrics(facts, predictive);
  const ClinicalValues values = metrics.values();
  for (const ClinicalMetric metric :
       {ClinicalMetric::kAuroc, ClinicalMetric::kAupr, ClinicalMetric::kKappa,
        ClinicalMetric::kMatthews, ClinicalMetric::kMistakeAuroc, ClinicalMetric::kSlope,
        ClinicalMetric::kIntercept}) {
    EXPECT_FALSE(values[metric]) << clinical_infos()[static_cast<std::size_t>(metric)].key;
    EXPECT_FALSE(metrics.intervals({}, {20, 0.95, 1})[metric]);
  }
  EXPECT_NEAR(*values[ClinicalMetric::kClasswiseEce], 0.3, 1e-12);
  EXPECT_EQ(values[ClinicalMetric::kUncertainty], 0.0);
}

// A resample is the same numbers of the samples it holds.
TEST(Clinical, CountsAreCopies) {
  for (const std::size_t classes : {std::size_t{2}, std::size_t{4}}) {
    const Case made = make_case(5, classes);
    std::vector<std::uint32_t> counts;
    std::vector<std::int64_t> labels;
    Predictive copied;
    for (std::size_t i = 0; i < kSamples; ++i) {
      counts.push_back(static_cast<std::uint32_t>(i * 7 % 3));
      for (std::uint32_t copy = 0; copy < counts[i]; ++copy) {
        labels.push_back(made.facts.labels[i]);
        for (std::size_t k = 0; k < classes; ++k) copied.probabilities.push_back(p_of(made, i, k));
        copied.predicted.push_back(made.predictive.predicted[i]);
        copied.confidence.push_back(made.predictive.confidence[i]);
        copied.entropy.push_back(made.predictive.entropy[i]);
        copied.aleatoric.push_back(made.predictive.aleatoric[i]);
      }
    }
    copied.samples = labels.size();
    copied.classes = classes;
    const SampleFacts facts = sample_facts(copied, labels, {});
    const ClinicalValues expected = ClinicalMetrics(facts, copied, all_rules()).values();
    const ClinicalValues actual =
        ClinicalMetrics(made.facts, made.predictive, all_rules()).values(SampleCounts(counts));
    const auto expect_equal = [](const auto& a, const auto& b, const std::string& what) {
      ASSERT_EQ(a.has_value(), b.has_value()) << what;
      if (!a) return;
      EXPECT_NEAR(*a, *b, 1e-9) << what;
    };
    for (std::size_t m = 0; m < kClinicalCount; ++m) {
      expect_equal(actual.overall[m], expected.overall[m], clinical_infos()[m].key);
    }
    for (std::size_t k = 0; k < classes; ++k) {
      for (std::size_t m = 0; m < kClassMetricCount; ++m) {
        expect_equal(actual.by_class[k][m], expected.by_class[k][m], class_metric_infos()[m].key);
      }
      for (std::size_t r = 0; r < 4; ++r) {
        for (std::size_t m = 0; m < kPointMetricCount; ++m) {
          expect_equal(actual.points[r][k][m], expected.points[r][k][m], point_infos()[m].key);
        }
      }
    }
    for (std::size_t cell = 0; cell < classes * classes; ++cell) {
      expect_equal(actual.confusion[cell], expected.confusion[cell], "confusion");
    }
  }
}

TEST(Clinical, BrierPartsAddUpWhereBinsHoldOneProbability) {
  const std::vector<double> grid{1.0 / 30, 9.0 / 30, 21.0 / 30, 29.0 / 30};
  std::vector<std::vector<double>> rows;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < 400; ++i) {
    const double p = grid[i % 4];
    rows.push_back({1 - p, p});
    labels.push_back((i / 4) % 10 < static_cast<std::size_t>(10 * p) ? 1 : 0);
  }
  const Predictive predictive = test::predictive_rows(rows);
  const SampleFacts facts = sample_facts(predictive, labels, {});
  const ClinicalValues values = ClinicalMetrics(facts, predictive).values();
  EXPECT_NEAR(*values[ClinicalMetric::kReliability] - *values[ClinicalMetric::kResolution] +
                  *values[ClinicalMetric::kUncertainty],
              *metric_values(facts)[Metric::kBrier], 1e-12);
}

// Probabilities that are those of the labels: line of slope 1 through 0, no error but chance's.
TEST(Clinical, CalibratedAnswersHaveSlopeOneAndNoDebiasedError) {
  SeedStream stream(9, 0);
  std::vector<std::vector<double>> rows;
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 20000; ++i) {
    const double p = stream.uniform();
    rows.push_back({1 - p, p});
    labels.push_back(stream.uniform() < p ? 1 : 0);
  }
  const Predictive predictive = test::predictive_rows(rows);
  const SampleFacts facts = sample_facts(predictive, labels, {});
  const ClinicalValues values = ClinicalMetrics(facts, predictive).values();
  EXPECT_NEAR(*values[ClinicalMetric::kSlope], 1, 0.05);
  EXPECT_NEAR(*values[ClinicalMetric::kIntercept], 0, 0.05);
  EXPECT_LT(*values[ClinicalMetric::kDebiasedEce], 0.006);
  EXPECT_LT(*values[ClinicalMetric::kAdaptiveEce], 0.015);
}

TEST(Clinical, IntervalsHoldTheValueAndDoNotDependOnThreads) {
  const Case made = make_case(7);
  const ClinicalMetrics metrics(made.facts, made.predictive, all_rules());
  const ClinicalValues values = metrics.values();
  const ClinicalIntervals intervals = metrics.intervals({}, {200, 0.95, 1});
  for (const ClinicalMetric metric : {ClinicalMetric::kAuroc, ClinicalMetric::kAupr,
                                      ClinicalMetric::kKappa, ClinicalMetric::kSlope}) {
    ASSERT_TRUE(intervals[metric]);
    EXPECT_LT(intervals[metric]->low, *values[metric]);
    EXPECT_GT(intervals[metric]->high, *values[metric]);
  }
  const test::Threads one(1);
  const ClinicalIntervals again = metrics.intervals({}, {200, 0.95, 1});
  EXPECT_EQ(again[ClinicalMetric::kSlope]->low, intervals[ClinicalMetric::kSlope]->low);
  EXPECT_EQ(again.confusion[5]->high, intervals.confusion[5]->high);
}

// Resamples are worked out several at a time: each as it is by itself.
TEST(Clinical, LanesEqualTheResamplesOneByOne) {
  for (const std::size_t classes : {std::size_t{2}, std::size_t{4}}) {
    const Case made = make_case(9, classes);
    SeedStream stream(3, 0);
    std::vector<LaneCounts> lanes(kSamples);
    for (LaneCounts& each : lanes) {
      for (std::int32_t& count : each.of) count = static_cast<std::int32_t>(stream.below(3));
    }
    for (std::size_t i = 0; i < kSamples; ++i) {
      if (made.facts.labels[i] == 1) lanes[i].of[2] = 0;  // a class that this resample lacks
    }
    for (std::size_t k = 0; k < classes; ++k) {
      const RankedScores ranked = rank_class(made.facts, made.predictive, k);
      const std::vector<std::uint32_t> ends = bin_ends(ranked, 15);
      const auto together = class_numbers(ranked, lanes, ends);
      for (std::size_t l = 0; l < kLanes; ++l) {
        RankedCounts counts;
        for (const std::uint32_t i : ranked.samples) {
          counts.push_back(static_cast<std::uint32_t>(lanes[i].of[l]));
        }
        const ClassNumbers alone = class_numbers(ranked, counts, ends);
        ASSERT_EQ(together[l].auroc.has_value(), alone.auroc.has_value());
        EXPECT_NEAR(together[l].auroc.value_or(0), alone.auroc.value_or(0), 1e-12);
        EXPECT_NEAR(together[l].aupr.value_or(0), alone.aupr.value_or(0), 1e-12);
        EXPECT_NEAR(together[l].calibration.ece, alone.calibration.ece, 1e-12);
        EXPECT_NEAR(together[l].calibration.reliability, alone.calibration.reliability, 1e-12);
        EXPECT_NEAR(together[l].calibration.resolution, alone.calibration.resolution, 1e-12);
        EXPECT_NEAR(together[l].calibration.uncertainty, alone.calibration.uncertainty, 1e-12);
      }
    }
  }
}

// All samples of one group: every resample is the set itself.
TEST(Clinical, IntervalsResampleWholeGroups) {
  const Case made = make_case(8);
  const ClinicalMetrics metrics(made.facts, made.predictive, all_rules());
  const std::vector<std::string> groups(kSamples, "one patient");
  const ClinicalIntervals intervals = metrics.intervals(groups, {10, 0.95, 1});
  EXPECT_EQ(intervals[ClinicalMetric::kAuroc]->low, *metrics.values()[ClinicalMetric::kAuroc]);
  EXPECT_EQ(intervals[ClinicalMetric::kAuroc]->high, *metrics.values()[ClinicalMetric::kAuroc]);
}

// Labels 0, 0, 1, 1, 2, 2; answers 0, 1, 1, 1, 1, 2: class 1 is called for 1/2, 1 and 1/2 of them.
TEST(Clinical, OneStatedShareChangesThePredictiveValuesOfAllClasses) {
  const std::vector<std::vector<double>> rows{{0.8, 0.1, 0.1}, {0.3, 0.6, 0.1}, {0.1, 0.8, 0.1},
                                              {0.2, 0.7, 0.1}, {0.1, 0.6, 0.3}, {0.1, 0.1, 0.8}};
  const std::vector<std::int64_t> labels{0, 0, 1, 1, 2, 2};
  const Predictive predictive = test::predictive_rows(rows);
  const SampleFacts facts = sample_facts(predictive, labels, {});
  ClinicalOptions options;
  options.rules = {OperatingRule{}, {PointRule::kThreshold, 0.5}};  // which calls the same
  options.population = {0.8, std::nullopt, std::nullopt};           // the others: 0.1 each
  const ClinicalValues values = ClinicalMetrics(facts, predictive, options).values();
  for (std::size_t r = 0; r < 2; ++r) {
    EXPECT_NEAR(*values.at_point(r, 0, PointMetric::kPpv), 1, 1e-12);
    EXPECT_NEAR(*values.at_point(r, 0, PointMetric::kNpv), 0.2 / 0.6, 1e-12);
    EXPECT_NEAR(*values.at_point(r, 1, PointMetric::kPpv), 0.1 / (0.4 + 0.1 + 0.05), 1e-12);
    EXPECT_NEAR(*values.at_point(r, 1, PointMetric::kNpv), 1, 1e-12);
    EXPECT_NEAR(*values.at_point(r, 2, PointMetric::kNpv), 0.9 / 0.95, 1e-12);
    EXPECT_NEAR(*values.at_point(r, 1, PointMetric::kSpecificity), 0.5, 1e-12) << "of the samples";
  }
  EXPECT_EQ(prevalence_words(options, {"a", "b", "c"}),
            "where classes have these shares: a 80%; the other classes share the rest as among "
            "these samples");
  // With the shares of the samples nothing changes, and of one class stated in turn neither.
  options.population = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  const ClinicalValues same = ClinicalMetrics(facts, predictive, options).values();
  EXPECT_NEAR(*same.at_point(0, 1, PointMetric::kPpv), 0.5, 1e-12);
  options.population.clear();
  options.prevalence = {0.8, std::nullopt, std::nullopt};
  const ClinicalValues in_turn = ClinicalMetrics(facts, predictive, options).values();
  EXPECT_NEAR(*in_turn.at_point(0, 0, PointMetric::kNpv), 0.2 / 0.6, 1e-12);

  const auto refused = [&](const std::vector<std::optional<double>>& shares, const char* words) {
    ClinicalOptions bad;
    bad.population = shares;
    test::expect_error<ArgumentError>([&] { ClinicalMetrics(facts, predictive, bad); }, words);
  };
  refused({0.8, 0.3, std::nullopt}, "1.1 together, more than 1");
  refused({0.5, 0.3, 0.1}, "no other class with a sample could have the rest");
  refused({0.5}, "shares of the population");
}

TEST(Clinical, RefusesWhatIsNoPrevalence) {
  const Case made = make_case(2);
  ClinicalOptions options;
  options.prevalence = {0.1, 0.2};
  test::expect_error<ArgumentError>([&] { ClinicalMetrics(made.facts, made.predictive, options); },
                                    "prevalences");
  options.prevalence = {0.1, std::nullopt, 1.2, std::nullopt};
  test::expect_error<ArgumentError>([&] { ClinicalMetrics(made.facts, made.predictive, options); },
                                    "a prevalence");
}

}  // namespace
}  // namespace cubcal
