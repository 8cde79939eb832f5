#include "cubcal_nn/kernels/noise.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/normal_formula.h"

namespace cubcal {
namespace {

at::Tensor normal(std::int64_t count, const NoiseKey& key) {
  at::Tensor out = at::empty({count});
  normal_noise(out, key);
  return out;
}

double correlation(const at::Tensor& a, const at::Tensor& b) {
  return (a.to(at::kDouble) * b.to(at::kDouble)).mean().item<double>();
}

TEST(Noise, FormulaAgreesWithLibraryFunctions) {
  for (std::uint64_t bits = 0; bits < (1ULL << 32); bits += 1'000'003) {
    const auto word = static_cast<std::uint32_t>(bits);
    const double u = (static_cast<double>(bits) + 0.5) * 0x1p-32;
    EXPECT_NEAR(minus_two_log(word), -2 * std::log(u), 3e-7 + 4e-7 * -2 * std::log(u));
    float first;
    float second;
    constexpr std::uint32_t kHalf = 0x80000000U;
    normal_pair(kHalf, word, first, second);
    const double radius = std::sqrt(2 * std::log(2.0));
    // The angle counts quarter turns from the middle: 30 signed bits around the top two.
    const double quarter = static_cast<double>(word >> 30);
    const double within = static_cast<double>(static_cast<std::int32_t>(word << 2)) * 0x1p-32;
    const double angle = (quarter + within) * 1.5707963267948966;
    EXPECT_NEAR(first, radius * std::cos(angle), 5e-7);
    EXPECT_NEAR(second, radius * std::sin(angle), 5e-7);
  }
  EXPECT_NEAR(minus_two_log(0), 2 * 33 * std::log(2.0), 1e-5);
  EXPECT_EQ(minus_two_log(0xffffffffU), 0.0F);
}

TEST(Noise, IsStandardNormal) {
  constexpr std::int64_t kCount = 1 << 20;
  const at::Tensor x = normal(kCount, {11, 5, 2}).to(at::kDouble);
  const double root = std::sqrt(static_cast<double>(kCount));
  EXPECT_NEAR(x.mean().item<double>(), 0, 4 / root);
  EXPECT_NEAR(x.pow(2).mean().item<double>(), 1, 4 * std::sqrt(2.0) / root);
  EXPECT_NEAR(x.pow(3).mean().item<double>(), 0, 4 * std::sqrt(15.0) / root);
  EXPECT_NEAR(x.pow(4).mean().item<double>(), 3, 4 * std::sqrt(96.0) / root);
  const double beyond_four = (x.abs() > 4).to(at::kDouble).mean().item<double>();
  EXPECT_NEAR(beyond_four, 6.334e-5, 4 * std::sqrt(6.334e-5) / root);

  const at::Tensor sorted = std::get<0>(x.sort());
  const double* value = sorted.data_ptr<double>();
  double distance = 0;
  for (std::int64_t i = 0; i < kCount; ++i) {
    const double expected = 0.5 * std::erfc(-value[i] / std::sqrt(2.0));
    distance = std::max({distance, std::abs(expected - static_cast<double>(i) / kCount),
                         std::abs(expected - static_cast<double>(i + 1) / kCount)});
  }
  EXPECT_LT(distance * root, 1.95);  // Kolmogorov-Smirnov, one in a thousand
}

TEST(Noise, NeighboursAndStreamsAreUncorrelated) {
  constexpr std::int64_t kCount = 1 << 18;
  constexpr double kBound = 4.5 / 512;
  const at::Tensor x = normal(kCount, {1, 2, 3});
  for (const std::int64_t lag : {1, 2, 3, 4, 256}) {
    EXPECT_LT(std::abs(correlation(x.slice(0, 0, kCount - lag), x.slice(0, lag))), kBound) << lag;
  }
  for (const NoiseKey& other : {NoiseKey{2, 2, 3}, NoiseKey{1, 3, 3}, NoiseKey{1, 2, 4},
                                NoiseKey{1ULL << 32, 2, 3}, NoiseKey{1, 2ULL << 32, 3}}) {
    EXPECT_LT(std::abs(correlation(x, normal(kCount, other))), kBound);
  }
}

TEST(Noise, DependsOnPlaceAloneNotOnLengthThreadsOrType) {
  const NoiseKey key{7, 8, 9};
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor whole = normal(100'003, key);
  at::set_num_threads(2);
  EXPECT_TRUE(at::equal(whole, normal(100'003, key)));
  at::set_num_threads(threads);
  EXPECT_TRUE(at::equal(whole.slice(0, 0, 777), normal(777, key)));
  at::Tensor later = at::empty({777});
  normal_noise(later, key, 1004);
  EXPECT_TRUE(at::equal(later, whole.slice(0, 1004, 1781)));
  at::Tensor as_double = at::empty({1000}, at::kDouble);
  normal_noise(as_double, key);
  EXPECT_TRUE(at::equal(as_double, whole.slice(0, 0, 1000).to(at::kDouble)));
}

TEST(Noise, StaysTheSameFromVersionToVersion) {
  const at::Tensor x = normal(4, {1, 2, 3});
  const float expected[4] = {-0.488035589F, 0.135255441F, -0.312376201F, 1.053136945F};
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(x[i].item<float>(), expected[i], 1e-6) << i;
}

TEST(Noise, RefusesTensorsItCannotFill) {
  EXPECT_THROW(normal_noise(at::empty({4}, at::kLong), {}), ArgumentError);
  EXPECT_THROW(normal_noise(at::empty({4, 4}).t(), {}), ArgumentError);
  EXPECT_THROW(normal_noise(at::empty({4}), {}, 6), ArgumentError);
}

TEST(Noise, UniformCoversTheUnitInterval) {
  at::Tensor x = at::empty({1 << 18});
  uniform_noise(x, {3, 1, 0});
  EXPECT_GE(x.min().item<float>(), 0.0F);
  EXPECT_LT(x.max().item<float>(), 1.0F);
  EXPECT_NEAR(x.mean().item<double>(), 0.5, 4 * 0.289 / 512);
  EXPECT_NEAR(x.var().item<double>(), 1.0 / 12, 1e-3);
}

TEST(DropoutMask, BelongsToTheSampleNotToTheBatch) {
  const NoiseKey key{5, 0, 17};
  const at::TensorOptions options = at::TensorOptions().dtype(at::kFloat);
  const at::Tensor all = dropout_mask({0, 1, 2, 3, 4}, 300, 0.3, 0, key, options);
  const at::Tensor some = dropout_mask({4, 1}, 300, 0.3, 0, key, options);
  EXPECT_TRUE(at::equal(some[0], all[4]));
  EXPECT_TRUE(at::equal(some[1], all[1]));
  EXPECT_FALSE(at::equal(all[0], all[1]));
  EXPECT_FALSE(at::equal(all, dropout_mask({0, 1, 2, 3, 4}, 300, 0.3, 1, key, options)));
  EXPECT_FALSE(at::equal(all, dropout_mask({0, 1, 2, 3, 4}, 300, 0.3, 0, {5, 0, 18}, options)));
}

TEST(DropoutMask, DropsTheStatedShareAndKeepsTheMean) {
  const at::Tensor mask = dropout_mask({3, 9}, 100'000, 0.2, 0, {1, 1, 1}, at::kDouble);
  EXPECT_NEAR((mask == 0).to(at::kDouble).mean().item<double>(), 0.2, 0.004);
  EXPECT_NEAR(mask.mean().item<double>(), 1.0, 0.005);
  EXPECT_NEAR(mask.max().item<double>(), 1.25, 1e-6);
  EXPECT_THROW(dropout_mask({0}, 4, 1.0, 0, {}, at::kFloat), ArgumentError);
}

}  // namespace
}  // namespace cubcal
