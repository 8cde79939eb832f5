#include "cubcal/metrics/metric_values.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <numeric>

#include "metrics/predictive_rows.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::LogitSet;
using test::LogitShape;
using test::random_logits;
using test::Threads;

double entropy_of(double c) { return c < 1 ? -c * std::log(c) - (1 - c) * std::log(1 - c) : 0.0; }

/// Sum over bins of |sum of (observed - target)| / N, looking through the bins for each sample.
double naive_binned(const std::vector<double>& position, const std::vector<double>& observed,
                    const std::vector<double>& target, std::size_t bins) {
  double error = 0.0;
  for (std::size_t m = 0; m < bins; ++m) {
    const double low = static_cast<double>(m) / static_cast<double>(bins);
    const double high = static_cast<double>(m + 1) / static_cast<double>(bins);
    double number = 0;
    double observed_sum = 0;
    double target_sum = 0;
    for (std::size_t i = 0; i < position.size(); ++i) {
      const bool inside =
          (position[i] > low && position[i] <= high) || (m == 0 && position[i] == 0);
      if (!inside) continue;
      number += 1;
      observed_sum += observed[i];
      target_sum += target[i];
    }
    if (number == 0) continue;
    error += number / static_cast<double>(position.size()) *
             std::abs(observed_sum / number - target_sum / number);
  }
  return error;
}

/// Every metric straight from its definition; NaN stands for undefined.
std::map<std::string, double> naive_metrics(const Predictive& predictive,
                                            const std::vector<std::int64_t>& labels,
                                            const MetricOptions& options) {
  const std::size_t n = predictive.samples;
  const std::size_t classes = predictive.classes;
  const double size = static_cast<double>(n);
  const double k = static_cast<double>(classes);
  std::vector<double> right(n);
  std::vector<double> wrong(n);
  std::vector<double> u(n);
  std::vector<double> ideal(n);
  std::map<std::string, double> m = {{"n_ac", 0}, {"n_au", 0}, {"n_ic", 0}, {"n_iu", 0}};
  for (std::size_t i = 0; i < n; ++i) {
    const double* p = &predictive.probabilities[i * classes];
    const double c = *std::max_element(p, p + classes);
    right[i] = std::max_element(p, p + classes) - p == labels[i] ? 1 : 0;
    wrong[i] = 1 - right[i];
    u[i] = predictive.entropy[i] / std::log(k);
    ideal[i] = entropy_of(c) + (c > options.gamma ? 0.0 : (1 - c) * std::log(k - 1));
    m["accuracy"] += right[i] / size;
    m["nll"] -= std::log(std::max(p[labels[i]], 1e-12)) / size;
    for (std::size_t j = 0; j < classes; ++j) {
      m["brier"] += std::pow(p[j] - (static_cast<std::int64_t>(j) == labels[i]), 2) / size;
    }
    m["mi_mean"] += std::max(0.0, predictive.entropy[i] - predictive.aleatoric[i]) / size;
    const bool certain = predictive.entropy[i] <= options.uncertainty_threshold;
    m[right[i] == 1 ? (certain ? "n_ac" : "n_au") : (certain ? "n_ic" : "n_iu")] += 1;
  }
  m["avu"] = (m["n_ac"] + m["n_iu"]) / size;
  double present = 0;
  double recalls = 0;
  for (std::size_t j = 0; j < classes; ++j) {
    double support = 0;
    double hits = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (labels[i] != static_cast<std::int64_t>(j)) continue;
      support += 1;
      hits += right[i];
    }
    if (support == 0) continue;
    present += 1;
    recalls += hits / support;
  }
  m["balanced_accuracy"] = recalls / present;
  m["ece"] = naive_binned(predictive.confidence, right, predictive.confidence, options.bins);
  m["uce"] = naive_binned(u, wrong, u, options.bins);
  m["bcce"] = naive_binned(predictive.confidence, predictive.entropy, ideal, options.bins);
  const double u_right =
      std::inner_product(right.begin(), right.end(), predictive.entropy.begin(), 0.0);
  const double u_wrong =
      std::inner_product(wrong.begin(), wrong.end(), predictive.entropy.begin(), 0.0);
  const double n_right = std::accumulate(right.begin(), right.end(), 0.0);
  m["u_correct"] = u_right / n_right;
  m["u_incorrect"] = u_wrong / (size - n_right);
  m["delta_u"] = m["u_incorrect"] - m["u_correct"];
  const auto [lowest, highest] =
      std::minmax_element(predictive.entropy.begin(), predictive.entropy.end());
  double previous = 0;
  for (int point = 0; point <= 20; ++point) {
    const double threshold = point == 20 ? *highest : *lowest + point / 20.0 * (*highest - *lowest);
    double good = 0;
    for (std::size_t i = 0; i < n; ++i) {
      good += predictive.entropy[i] <= threshold ? right[i] : wrong[i];
    }
    if (point > 0) m["avu_auc"] += (good / size + previous) / 2 / 20;
    previous = good / size;
  }
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return predictive.entropy[a] < predictive.entropy[b];
  });
  double errors = 0;
  for (std::size_t i = 0; i < n; ++i) {
    errors += wrong[order[i]];
    m["aurc"] += errors / static_cast<double>(i + 1) / size;
  }
  return m;
}

void expect_close(const MetricValues& actual, const MetricValues& expected) {
  for (const MetricInfo& info : metric_infos()) {
    ASSERT_EQ(actual[info.metric].has_value(), expected[info.metric].has_value()) << info.key;
    if (!expected[info.metric]) continue;
    const double value = *expected[info.metric];
    EXPECT_NEAR(*actual[info.metric], value, 1e-12 * std::abs(value) + 1e-14) << info.key;
  }
}

MetricValues values_of(const LogitSet& set, const MetricOptions& options = {}) {
  return metric_values(sample_facts(predict(set.view()), set.labels, options));
}

TEST(MetricValues, AgreeWithTheirDefinitions) {
  std::uint64_t seed = 20;
  for (const std::size_t classes : {2, 3, 7, 20}) {
    for (const std::size_t samples : {30, 400}) {
      for (const MetricOptions& options :
           {MetricOptions{}, MetricOptions{10, 0.6, 0.1}, MetricOptions{1, 1.0, 0.7}}) {
        LogitShape shape;
        shape.samples = samples;
        shape.classes = classes;
        const LogitSet set = random_logits(shape, ++seed);
        const Predictive predictive = predict(set.view());
        const auto naive = naive_metrics(predictive, set.labels, options);
        const MetricValues values = metric_values(sample_facts(predictive, set.labels, options));
        for (const MetricInfo& info : metric_infos()) {
          ASSERT_EQ(naive.count(info.key), 1U) << "there is no naive twin of " << info.key;
          const double expected = naive.at(info.key);
          if (!std::isfinite(expected)) {
            EXPECT_FALSE(values[info.metric].has_value()) << info.key;
            continue;
          }
          ASSERT_TRUE(values[info.metric].has_value()) << info.key;
          EXPECT_NEAR(*values[info.metric], expected, 1e-12 * std::abs(expected) + 1e-14)
              << info.key << " K=" << classes << " N=" << samples;
        }
      }
    }
  }
}

TEST(MetricValues, DoNotDependOnTheOrderOfSamples) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    LogitShape shape;
    shape.samples = 500;
    shape.classes = 4;
    const LogitSet set = random_logits(shape, seed);
    LogitSet shuffled = set;
    std::vector<std::uint32_t> order(set.samples);
    std::iota(order.begin(), order.end(), 0U);
    SeedStream stream(seed, 99);
    for (std::size_t i = order.size(); i > 1; --i) {
      std::swap(order[i - 1], order[stream.below(static_cast<std::uint32_t>(i))]);
    }
    for (std::size_t i = 0; i < set.samples; ++i) {
      shuffled.labels[i] = set.labels[order[i]];
      for (std::size_t s = 0; s < set.passes; ++s) {
        for (std::size_t k = 0; k < set.classes; ++k) shuffled.at(s, i, k) = set.at(s, order[i], k);
      }
    }
    expect_close(values_of(shuffled), values_of(set));
  }
}

TEST(MetricValues, DoNotDependOnTheNamesOfClasses) {
  LogitShape shape;
  shape.classes = 5;
  const LogitSet set = random_logits(shape, 4);
  const std::vector<std::size_t> renamed{3, 0, 4, 2, 1};
  LogitSet other = set;
  for (std::size_t i = 0; i < set.samples; ++i) {
    other.labels[i] = static_cast<std::int64_t>(renamed[static_cast<std::size_t>(set.labels[i])]);
    for (std::size_t s = 0; s < set.passes; ++s) {
      for (std::size_t k = 0; k < set.classes; ++k) other.at(s, i, renamed[k]) = set.at(s, i, k);
    }
  }
  expect_close(values_of(other), values_of(set));
}

TEST(MetricValues, AreTheSameBitsOnAnyNumberOfThreads) {
  LogitShape shape;
  shape.samples = 3000;
  const LogitSet set = random_logits(shape, 5);
  const auto with = [&](std::size_t threads) {
    const Threads scope(threads);
    return values_of(set);
  };
  const MetricValues one = with(1);
  for (const std::size_t threads : {2, 3, 7}) {
    const MetricValues many = with(threads);
    for (const MetricInfo& info : metric_infos()) {
      EXPECT_EQ(one[info.metric], many[info.metric]) << info.key;
    }
  }
}

TEST(MetricValues, CountASampleAsOftenAsItWasDrawn) {
  LogitShape shape;
  shape.samples = 120;
  const LogitSet set = random_logits(shape, 6);
  std::vector<std::uint32_t> counts;
  LogitSet repeated{set.passes, 0, set.classes, {}, {}};
  SeedStream stream(6, 1);
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < set.samples; ++i) {
    counts.push_back(stream.below(4));
    members.insert(members.end(), counts.back(), i);
  }
  repeated.samples = members.size();
  for (std::size_t s = 0; s < set.passes; ++s) {
    for (const std::size_t i : members) {
      for (std::size_t k = 0; k < set.classes; ++k) repeated.values.push_back(set.at(s, i, k));
    }
  }
  for (const std::size_t i : members) repeated.labels.push_back(set.labels[i]);
  const SampleFacts facts = sample_facts(predict(set.view()), set.labels, {});
  expect_close(metric_values(facts, SampleCounts(counts)), values_of(repeated));
}

TEST(MetricValues, AreUndefinedWhereNothingCanBeSaid) {
  const auto of = [](std::int64_t label) {
    return metric_values(test::facts_of_rows({{0.9, 0.1}, {0.6, 0.4}}, {label, label}));
  };
  const MetricValues right = of(0);
  EXPECT_EQ(right[Metric::kAccuracy], 1.0);
  EXPECT_EQ(right[Metric::kBalancedAccuracy], 1.0);
  EXPECT_TRUE(right[Metric::kUCorrect].has_value());
  EXPECT_FALSE(right[Metric::kUIncorrect].has_value());
  EXPECT_FALSE(right[Metric::kDeltaU].has_value());
  EXPECT_EQ(right[Metric::kAurc], 0.0);
  const MetricValues wrong = of(1);
  EXPECT_EQ(wrong[Metric::kAccuracy], 0.0);
  EXPECT_FALSE(wrong[Metric::kUCorrect].has_value());
  EXPECT_FALSE(wrong[Metric::kDeltaU].has_value());
  EXPECT_EQ(wrong[Metric::kAurc], 1.0);
}

TEST(MetricValues, AreListedInTheirOrder) {
  for (std::size_t i = 0; i < kMetricCount; ++i) {
    EXPECT_EQ(static_cast<std::size_t>(metric_infos()[i].metric), i);
  }
}

TEST(MetricInfos, EveryKeyIsInTheDocumentation) {
  std::ifstream page(std::string(CUBCAL_TEST_DATA) + "/../../docs/metrics.md");
  const std::string text((std::istreambuf_iterator<char>(page)), {});
  for (const MetricInfo& info : metric_infos()) {
    EXPECT_NE(text.find("`" + std::string(info.key) + "`"), std::string::npos) << info.key;
  }
}

}  // namespace
}  // namespace cubcal
