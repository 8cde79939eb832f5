#include "cubcal/uncertainty/predictive.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numeric>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::expect_error;
using test::LogitSet;
using test::LogitShape;
using test::random_logits;
using test::Threads;

/// Entropy with the largest probability's logarithm taken from the others, as c may be all but 1.
long double naive_entropy(const std::vector<long double>& p) {
  const std::size_t best =
      static_cast<std::size_t>(std::max_element(p.begin(), p.end()) - p.begin());
  long double rest = 0;
  long double entropy = 0;
  for (std::size_t k = 0; k < p.size(); ++k) {
    if (k == best) continue;
    rest += p[k];
    if (p[k] > 0) entropy -= p[k] * std::log(p[k]);
  }
  return entropy - p[best] * (rest < 0.5L ? std::log1p(-rest) : std::log(p[best]));
}

struct NaiveSample {
  std::vector<long double> p;
  long double entropy;
  long double aleatoric;
};

NaiveSample naive_sample(const LogitSet& set, std::size_t sample, double temperature) {
  NaiveSample result{std::vector<long double>(set.classes, 0), 0, 0};
  for (std::size_t s = 0; s < set.passes; ++s) {
    std::vector<long double> p(set.classes);
    long double largest = set.at(s, sample, 0);
    for (std::size_t k = 0; k < set.classes; ++k) {
      largest = std::max<long double>(largest, set.at(s, sample, k));
    }
    long double sum = 0;
    for (std::size_t k = 0; k < set.classes; ++k) {
      sum += p[k] = std::exp((set.at(s, sample, k) - largest) / temperature);
    }
    for (std::size_t k = 0; k < set.classes; ++k) {
      p[k] /= sum;
      result.p[k] += p[k] / static_cast<long double>(set.passes);
    }
    result.aleatoric += naive_entropy(p) / static_cast<long double>(set.passes);
  }
  result.entropy = naive_entropy(result.p);
  return result;
}

void expect_close(double actual, long double expected, double relative, const char* what) {
  const double value = static_cast<double>(expected);
  EXPECT_NEAR(actual, value, relative * std::abs(value) + 1e-300) << what;
}

/// How far results may be off, relative: float64 logits are exponentiated in double, the others in
/// single precision.
struct Precision {
  double probability;
  double confidence;
  double entropy;
};
constexpr Precision kDoublePrecision{4e-13, 1e-14, 1e-12};
constexpr Precision kSinglePrecision{2e-6, 1e-7, 5e-7};

void expect_as_naive(const Predictive& predictive, const LogitSet& set,
                     const std::vector<double>& temperatures = {},
                     const Precision& precision = kDoublePrecision) {
  ASSERT_EQ(predictive.samples, set.samples);
  ASSERT_EQ(predictive.classes, set.classes);
  for (std::size_t i = 0; i < set.samples; ++i) {
    const double temperature = temperatures.empty()       ? 1.0
                               : temperatures.size() == 1 ? temperatures[0]
                                                          : temperatures[i];
    const NaiveSample naive = naive_sample(set, i, temperature);
    for (std::size_t k = 0; k < set.classes; ++k) {
      const double p = predictive.probabilities[i * set.classes + k];
      // exp(x) inherits |x| rounding errors of x, and is cut off at -708.
      expect_close(p, naive.p[k] < 1e-290L ? static_cast<long double>(p) : naive.p[k],
                   precision.probability, "p");
    }
    const auto best = std::max_element(naive.p.begin(), naive.p.end());
    expect_close(predictive.confidence[i], *best, precision.confidence, "confidence");
    EXPECT_EQ(predictive.predicted[i], best - naive.p.begin());
    expect_close(predictive.entropy[i], naive.entropy, precision.entropy, "entropy");
    expect_close(predictive.aleatoric[i], naive.aleatoric, precision.entropy, "aleatoric");
    EXPECT_NEAR(predictive.epistemic(i),
                static_cast<double>(std::max(0.0L, naive.entropy - naive.aleatoric)),
                precision.entropy / 10);
    if (testing::Test::HasFailure()) FAIL() << "at sample " << i << ", K = " << set.classes;
  }
}

bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0;
}

void expect_same_bits(const Predictive& a, const Predictive& b) {
  EXPECT_TRUE(same_bits(a.probabilities, b.probabilities));
  EXPECT_TRUE(same_bits(a.confidence, b.confidence));
  EXPECT_TRUE(same_bits(a.entropy, b.entropy));
  EXPECT_TRUE(same_bits(a.aleatoric, b.aleatoric));
  EXPECT_EQ(a.predicted, b.predicted);
}

/// A half precision number near `value`, which is afterwards that number exactly.
Half round_to_half(double& value) {
  std::uint16_t best = 0;
  // Positive halves are ordered like their bits: search, then put the sign back.
  std::uint16_t low = 0;
  std::uint16_t high = 0x7bff;
  while (low < high) {
    const auto middle = static_cast<std::uint16_t>((low + high + 1) / 2);
    (to_float(Half{middle}) <= std::abs(value) ? low : high) =
        to_float(Half{middle}) <= std::abs(value) ? middle : static_cast<std::uint16_t>(middle - 1);
  }
  best = low;
  if (value < 0) best = static_cast<std::uint16_t>(best | 0x8000U);
  value = to_float(Half{best});
  return Half{best};
}

struct Extent {
  std::size_t passes;
  std::size_t samples;
  std::size_t classes;
};

// Few and many classes, some with their own code path, and sample counts around the tiles' and
// blocks' sizes.
class PredictExtents : public testing::TestWithParam<Extent> {};

TEST_P(PredictExtents, AgreesWithLongDouble) {
  const Extent& extent = GetParam();
  LogitShape shape;
  shape.passes = extent.passes;
  shape.samples = extent.samples;
  shape.classes = extent.classes;
  const LogitSet set = random_logits(shape, extent.classes);
  expect_as_naive(predict(set.view()), set);
}

INSTANTIATE_TEST_SUITE_P(Shapes, PredictExtents,
                         testing::Values(Extent{1, 1, 2}, Extent{7, 130, 2}, Extent{2, 15, 3},
                                         Extent{2, 16, 3}, Extent{2, 17, 3}, Extent{2, 257, 3},
                                         Extent{5, 65, 3}, Extent{3, 64, 4}, Extent{3, 63, 5},
                                         Extent{3, 66, 6}, Extent{4, 71, 7}, Extent{2, 1, 16},
                                         Extent{2, 65, 16}, Extent{3, 17, 17}, Extent{1, 1, 17},
                                         Extent{2, 31, 128}, Extent{2, 9, 129}, Extent{1, 7, 1000},
                                         Extent{3, 1, 1000}),
                         [](const auto& param) {
                           return "S" + std::to_string(param.param.passes) + "N" +
                                  std::to_string(param.param.samples) + "K" +
                                  std::to_string(param.param.classes);
                         });

TEST(Predict, AgreesForFloat32AndFloat16) {
  LogitSet set = random_logits({}, 3);
  std::vector<float> floats;
  for (double& value : set.values) {
    floats.push_back(static_cast<float>(value));
    value = floats.back();
  }
  expect_as_naive(predict(McLogits(floats.data(), set.passes, set.samples, set.classes)), set, {},
                  kSinglePrecision);
  std::vector<Half> halves;
  for (double& value : set.values) halves.push_back(round_to_half(value));
  expect_as_naive(predict(McLogits(halves.data(), set.passes, set.samples, set.classes)), set, {},
                  kSinglePrecision);
  // Both types hold these values exactly.
  std::vector<float> again(set.values.begin(), set.values.end());
  expect_same_bits(predict(McLogits(halves.data(), set.passes, set.samples, set.classes)),
                   predict(McLogits(again.data(), set.passes, set.samples, set.classes)));
}

TEST(Predict, Float32ProbabilitiesAddUpToOneAndCertainOnesStayExact) {
  // Differences of 35 and 20: far below what 1 - c could hold in single precision.
  const std::vector<float> logits = {35.0F, 0.0F, 15.0F};
  const Predictive predictive = predict(McLogits(logits.data(), 1, 1, 3));
  const double* p = predictive.probabilities.data();
  EXPECT_NEAR(p[0] + p[1] + p[2], 1.0, 1e-15);
  const double rest = std::exp(-35.0) + std::exp(-20.0);
  EXPECT_NEAR(p[1], std::exp(-35.0), 3e-6 * std::exp(-35.0));
  EXPECT_NEAR(predictive.entropy[0], rest + 35.0 * std::exp(-35.0) + 20.0 * std::exp(-20.0),
              1e-6 * predictive.entropy[0]);
}

TEST(Predict, OnePassHasNoEpistemicPart) {
  const std::vector<float> logits = {1.7F, 0.3F, -0.9F, 0.2F, 0.1F, 0.0F};
  const Predictive predictive = predict(McLogits(logits.data(), 1, 2, 3));
  EXPECT_EQ(predictive.epistemic(0), 0.0);
  EXPECT_EQ(predictive.epistemic(1), 0.0);
}

TEST(Predict, TakesFloat32LogitsOfAnySize) {
  for (const float size : {1e4F, 1e30F, 3e38F}) {
    const std::vector<float> logits = {size, -size, 0.0F};
    const std::vector<double> tiny{1e-300};
    for (const bool scaled : {false, true}) {
      const Predictive predictive =
          predict(McLogits(logits.data(), 1, 1, 3),
                  scaled ? ArrayView<const double>(tiny) : ArrayView<const double>());
      EXPECT_EQ(predictive.confidence[0], 1.0);
      EXPECT_EQ(predictive.entropy[0], 0.0);
    }
  }
}

TEST(Predict, TakesLogitsOfAnySize) {
  LogitShape shape;
  shape.samples = 40;
  for (const double size : {10.0, 100.0, 1e4, 1e30, 1e300}) {
    LogitSet set = random_logits(shape, 4);
    for (double& value : set.values) value *= size;
    expect_as_naive(predict(set.view()), set);
  }
  const std::vector<double> largest{1e308, -1e308, -1.7e308, -1e4, 1e4, 0, 1.7e308, 1.7e308, 0};
  const LogitSet set{1, 3, 3, largest, {}};
  const Predictive predictive = predict(set.view());
  EXPECT_EQ(predictive.predicted, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(predictive.confidence, (std::vector<double>{1, 1, 0.5}));
  EXPECT_EQ(predictive.entropy, (std::vector<double>{0, 0, std::log(2.0)}));
  EXPECT_EQ(predictive.aleatoric, (std::vector<double>{0, 0, std::log(2.0)}));
  EXPECT_FALSE(std::signbit(predictive.entropy[0]));
  EXPECT_FALSE(std::signbit(predictive.epistemic(0)));
}

TEST(Predict, GivesEqualLogitsToTheLowestIndex) {
  for (const std::size_t classes : {2, 3, 5, 17, 1000}) {
    const LogitSet set{3, 2, classes, std::vector<double>(6 * classes, -2.5), {}};
    const Predictive predictive = predict(set.view());
    const double k = static_cast<double>(classes);
    EXPECT_EQ(predictive.predicted[0], 0);
    EXPECT_NEAR(predictive.confidence[1], 1 / k, 1e-16);
    EXPECT_NEAR(predictive.entropy[1], std::log(k), 1e-14);
    EXPECT_LE(predictive.entropy[1], std::log(k));
    EXPECT_NEAR(predictive.aleatoric[1], std::log(k), 1e-13);
  }
  const LogitSet tie{1, 1, 4, {0, 3, 1, 3}, {}};
  EXPECT_EQ(predict(tie.view()).predicted[0], 1);
}

TEST(Predict, KeepsTheEntropyOfVeryCertainSamples) {
  for (const double gap : {10.0, 25.0, 33.0, 37.0, 40.0, 100.0, 600.0}) {
    LogitSet set{2, 1, 3, {gap, 0, 0.5, gap + 1, 0, -0.25}, {}};
    const Predictive predictive = predict(set.view());
    const NaiveSample naive = naive_sample(set, 0, 1.0);
    EXPECT_GT(predictive.entropy[0], 0.0);
    expect_close(predictive.entropy[0], naive.entropy, 1e-12, "entropy");
    expect_close(predictive.aleatoric[0], naive.aleatoric, 1e-12, "aleatoric");
  }
}

TEST(Predict, AppliesOneTemperatureOrOnePerSample) {
  LogitShape shape;
  shape.samples = 70;
  const LogitSet set = random_logits(shape, 5);
  for (const double temperature : {0.05, 0.5, 1.0, 2.0, 20.0}) {
    const std::vector<double> one{temperature};
    const Predictive predictive = predict(set.view(), one);
    expect_as_naive(predictive, set, one);
    const std::vector<double> each(set.samples, temperature);
    expect_same_bits(predictive, predict(set.view(), each));
  }
  expect_same_bits(predict(set.view()), predict(set.view(), std::vector<double>{1.0}));
  std::vector<double> mixed(set.samples);
  for (std::size_t i = 0; i < mixed.size(); ++i) mixed[i] = 0.1 + 0.05 * static_cast<double>(i);
  expect_as_naive(predict(set.view(), mixed), set, mixed);
}

TEST(Predict, StaysFiniteAtExtremeTemperatures) {
  LogitSet set = random_logits({}, 6);
  set.values[0] = 1e308;
  set.values[1] = -1e308;
  for (const double temperature : {5e-324, 1e-310, 1e-300, 1e-100, 1e100, 1.7e308}) {
    const Predictive predictive = predict(set.view(), std::vector<double>{temperature});
    for (std::size_t i = 0; i < set.samples; ++i) {
      double sum = 0.0;
      for (std::size_t k = 0; k < set.classes; ++k) {
        sum += predictive.probabilities[i * set.classes + k];
      }
      ASSERT_NEAR(sum, 1.0, 1e-13) << temperature;
      ASSERT_GE(predictive.entropy[i], 0.0);
      ASSERT_GE(predictive.aleatoric[i], 0.0);
      ASSERT_LE(predictive.aleatoric[i], predictive.entropy[i] + 1e-12) << temperature;
    }
  }
}

TEST(Predict, RefusesBadTemperatures) {
  const LogitSet set = random_logits({}, 7);
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  for (const double bad : {0.0, -1.0, nan, std::numeric_limits<double>::infinity()}) {
    expect_error<ArgumentError>([&] { predict(set.view(), std::vector<double>{bad}); },
                                "temperature must be a positive number, not ");
  }
  std::vector<double> each(set.samples, 1.0);
  each[13] = -2;
  expect_error<ArgumentError>([&] { predict(set.view(), each); },
                              "temperature must be a positive number, not -2");
  each.pop_back();
  expect_error<ArgumentError>([&] { predict(set.view(), each); },
                              "temperatures has 199 entries but logits has 200");
}

TEST(Predict, DoesNotDependOnTheThreads) {
  for (const std::size_t classes : {3, 20}) {
    LogitShape shape;
    shape.samples = 5003;
    shape.classes = classes;
    const LogitSet set = random_logits(shape, 8);
    const auto with = [&](std::size_t threads) {
      const Threads scope(threads);
      return predict(set.view());
    };
    const Predictive one = with(1);
    for (const std::size_t threads : {2, 3, 7}) expect_same_bits(one, with(threads));
  }
}

TEST(Predict, DoesNotDependOnTheNeighbours) {
  LogitShape shape;
  shape.passes = 1;
  shape.samples = 150;
  const LogitSet set = random_logits(shape, 9);
  const Predictive all = predict(set.view());
  for (const std::size_t i : {0, 63, 64, 101, 149}) {
    const Predictive alone = predict(McLogits(&set.values[i * 3], 1, 1, 3));
    EXPECT_EQ(alone.entropy[0], all.entropy[i]);
    EXPECT_EQ(alone.aleatoric[0], all.aleatoric[i]);
    EXPECT_EQ(alone.confidence[0], all.confidence[i]);
  }
}

TEST(Predict, IgnoresAConstantAddedToAPass) {
  LogitSet set = random_logits({}, 10);
  for (double& value : set.values) value = std::round(value * 1024) / 1024;
  const Predictive before = predict(set.view());
  for (std::size_t s = 0; s < set.passes; ++s) {
    for (std::size_t i = 0; i < set.samples; ++i) {
      for (std::size_t k = 0; k < set.classes; ++k) {
        set.at(s, i, k) += 37.5 * static_cast<double>(s) - 1000.25;
      }
    }
  }
  expect_same_bits(before, predict(set.view()));
}

TEST(Predict, IgnoresTheOrderOfPasses) {
  const LogitSet set = random_logits({}, 11);
  LogitSet reversed = set;
  const std::size_t pass = set.samples * set.classes;
  for (std::size_t s = 0; s < set.passes; ++s) {
    std::copy_n(&set.values[s * pass], pass, &reversed.values[(set.passes - 1 - s) * pass]);
  }
  const Predictive a = predict(set.view());
  const Predictive b = predict(reversed.view());
  for (std::size_t i = 0; i < set.samples; ++i) {
    EXPECT_NEAR(a.entropy[i], b.entropy[i], 1e-14);
    EXPECT_NEAR(a.aleatoric[i], b.aleatoric[i], 1e-14);
    EXPECT_NEAR(a.confidence[i], b.confidence[i], 1e-15);
  }
}

TEST(Predict, HasNoEpistemicPartForEqualPasses) {
  LogitShape shape;
  shape.pass_noise = 0;
  const LogitSet set = random_logits(shape, 12);
  const Predictive predictive = predict(set.view());
  for (std::size_t i = 0; i < set.samples; ++i) EXPECT_LT(predictive.epistemic(i), 1e-14);
}

TEST(Predict, AddsUpManyPasses) {
  for (const std::size_t classes : {2, 3, 7, 10}) {
    const std::size_t passes = 20000;
    const LogitSet set{passes, 1, classes, std::vector<double>(passes * classes, 0.5), {}};
    const Predictive predictive = predict(set.view());
    const double k = static_cast<double>(classes);
    // The largest of K probabilities is never below 1/K, whatever their sums were rounded to.
    EXPECT_GE(predictive.confidence[0], 1 / k) << classes;
    EXPECT_NEAR(predictive.confidence[0], 1 / k, 1e-11) << classes;
    EXPECT_NEAR(predictive.entropy[0], std::log(k), 1e-11) << classes;
    EXPECT_NEAR(predictive.aleatoric[0], std::log(k), 1e-11) << classes;
  }
}

template <class T>
void expect_named(T bad, const char* word) {
  std::vector<T> values(2 * 100 * 3);
  values[(1 * 100 + 70) * 3 + 2] = bad;
  expect_error<DataError>(
      [&] { predict(McLogits(values.data(), 2, 100, 3)); },
      std::string("logits must be finite, but the one at [pass 1, sample 70, class 2] is ") + word);
}

TEST(Predict, NamesALogitThatIsNotFinite) {
  expect_named<double>(std::numeric_limits<double>::quiet_NaN(), "NaN");
  expect_named<double>(std::numeric_limits<double>::infinity(), "infinite");
  expect_named<double>(-std::numeric_limits<double>::infinity(), "infinite");
  expect_named<float>(std::numeric_limits<float>::quiet_NaN(), "NaN");
  expect_named<float>(-std::numeric_limits<float>::infinity(), "infinite");
  expect_named<Half>(Half{0x7e01}, "NaN");
  expect_named<Half>(Half{0xfc00}, "infinite");
}

TEST(Predict, NamesTheSameBadLogitOnAnyNumberOfThreads) {
  LogitShape shape;
  shape.samples = 8000;
  LogitSet set = random_logits(shape, 13);
  for (const std::size_t i : {7001, 4099, 1030, 77}) {
    set.at(2, i, 1) = std::numeric_limits<double>::quiet_NaN();
  }
  for (const std::size_t threads : {1, 4}) {
    const Threads scope(threads);
    for (int repeat = 0; repeat < 20; ++repeat) {
      expect_error<DataError>([&] { predict(set.view()); }, "[pass 2, sample 77, class 1] is NaN");
    }
  }
}

TEST(Summarise, ReadsStridedProbabilities) {
  const double p[] = {0.1, 9, 0.6, 9, 0.3, 9};
  const Summary summary = summarise(p, 3, 2);
  EXPECT_EQ(summary.predicted, 1);
  EXPECT_EQ(summary.confidence, 0.6);
  EXPECT_NEAR(summary.entropy, -0.1 * std::log(0.1) - 0.6 * std::log(0.6) - 0.3 * std::log(0.3),
              1e-15);
}

}  // namespace
}  // namespace cubcal
