#include "cubcal_nn/kernels/weight_kernels.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <array>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/core/philox.h"
#include "cubcal_nn/kernels/normal_blocks.h"
#include "cubcal_nn/kernels/philox_lanes.h"
#include "cubcal_nn/kernels/sigma.h"

namespace cubcal {
namespace {

constexpr std::int64_t kOdd = 70'003;  // no multiple of anything, several blocks per thread

at::Tensor noise_of(std::int64_t count, const NoiseKey& key, c10::ScalarType type = at::kFloat) {
  at::Tensor out = at::empty({count}, type);
  normal_noise(out, key);
  return out;
}

at::Tensor values(std::int64_t count, std::uint64_t seed, c10::ScalarType type = at::kFloat) {
  return noise_of(count, {seed, 99, 0}, type);
}

double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

/// Runs `work` with one thread and with three.
template <class Work>
std::array<at::Tensor, 2> on_one_and_three_threads(const Work& work) {
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor one = work();
  at::set_num_threads(3);
  const at::Tensor three = work();
  at::set_num_threads(before);
  return {one, three};
}

TEST(PhiloxLanes, AreTheBlocksOfPhilox) {
  const std::array<std::uint32_t, 4> derived{0x12345678U, 0x9abcdef0U, 0xdeadbeefU, 7U};
  std::uint32_t words[4][kPhiloxLanes];
  for (const std::uint32_t first : {0U, 1000U, 0xfffffff0U}) {
    philox_lanes(first, 5, derived, words);
    for (std::uint32_t lane = 0; lane < kPhiloxLanes; ++lane) {
      const auto block =
          philox4x32({first + lane, 5, derived[2], derived[3]}, {derived[0], derived[1]});
      for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(words[k][lane], block[k]) << lane;
    }
  }
}

TEST(NormalBlock, IsAPieceOfTheNoise) {
  const NoiseKey key{3, 4, 5};
  const at::Tensor whole = noise_of(2000, key);
  for (const std::int64_t first : {0, 4, 256, 1000}) {
    float block[kNormalBlock];
    normal_block(first, normal_words(key), block);
    const at::Tensor piece = at::from_blob(block, {kNormalBlock});
    EXPECT_TRUE(at::equal(piece, whole.narrow(0, first, kNormalBlock))) << first;
  }
}

TEST(DrawWeights, AreMeanPlusSigmaTimesTheNoise) {
  const NoiseKey key{11, 2, 7};
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{255}, kOdd}) {
    const at::Tensor mu = values(count, 1);
    const at::Tensor sigma = values(count, 2).abs();
    at::Tensor out = at::empty_like(mu);
    draw_weights(out, mu, sigma, key);
    if (count == 0) continue;
    EXPECT_LT(largest_difference(out, mu + sigma * noise_of(count, key)), 3e-6) << count;
  }
}

TEST(DrawWeights, DoNotDependOnThreads) {
  const at::Tensor mu = values(kOdd, 1);
  const at::Tensor sigma = values(kOdd, 2).abs();
  const auto [one, three] = on_one_and_three_threads([&] {
    at::Tensor out = at::empty_like(mu);
    draw_weights(out, mu, sigma, {1, 2, 3});
    return out;
  });
  EXPECT_TRUE(at::equal(one, three));
}

TEST(DrawWeights, InDoubleUseTheSameNoise) {
  const at::Tensor mu = values(777, 1, at::kDouble);
  const at::Tensor sigma = values(777, 2, at::kDouble).abs();
  at::Tensor out = at::empty_like(mu);
  draw_weights(out, mu, sigma, {1, 2, 3});
  EXPECT_LT(largest_difference(out, mu + sigma * noise_of(777, {1, 2, 3}, at::kDouble)), 1e-14);
}

TEST(DrawWeights, RefuseBuffersThatDoNotMatch) {
  const at::Tensor mu = values(10, 1);
  EXPECT_THROW(draw_weights(at::empty({9}), mu, mu, {}), ArgumentError);
  EXPECT_THROW(draw_weights(at::empty({10}, at::kDouble), mu, mu, {}), ArgumentError);
  EXPECT_THROW(draw_weights(at::empty({20}).slice(0, 0, 20, 2), mu, mu, {}), ArgumentError);
}

TEST(FoldGradients, AddsTheChainRuleOfAllDraws) {
  const std::vector<NoiseKey> keys{{5, 1, 0}, {5, 1, 1}, {5, 1, 2}};
  for (const c10::ScalarType type : {at::kFloat, at::kDouble}) {
    const at::Tensor slope = values(kOdd, 3, type).sigmoid();
    std::vector<at::Tensor> gradients;
    at::Tensor of_mu = values(kOdd, 10, type);
    at::Tensor of_rho = values(kOdd, 11, type);
    at::Tensor expected_mu = of_mu.to(at::kDouble);
    at::Tensor expected_rho = of_rho.to(at::kDouble);
    for (std::size_t s = 0; s < keys.size(); ++s) {
      gradients.push_back(values(kOdd, 20 + s, type));
      const at::Tensor gradient = gradients[s].to(at::kDouble);
      expected_mu += gradient;
      expected_rho += slope.to(at::kDouble) * gradient * noise_of(kOdd, keys[s], at::kDouble);
    }
    fold_gradients(gradients, keys, slope, of_mu, of_rho);
    const double bound = type == at::kFloat ? 1e-5 : 1e-12;
    EXPECT_LT(largest_difference(of_mu, expected_mu), bound);
    EXPECT_LT(largest_difference(of_rho, expected_rho), bound);
  }
}

TEST(FoldGradients, DoNotDependOnThreads) {
  const at::Tensor gradient = values(kOdd, 3);
  const at::Tensor slope = values(kOdd, 4).sigmoid();
  const auto [one, three] = on_one_and_three_threads([&] {
    at::Tensor of_mu = at::zeros({kOdd});
    at::Tensor of_rho = at::zeros({kOdd});
    fold_gradients({gradient, slope}, {{1, 2, 3}, {1, 2, 4}}, slope, of_mu, of_rho);
    return at::cat({of_mu, of_rho});
  });
  EXPECT_TRUE(at::equal(one, three));
}

TEST(FoldGradients, PiecesGiveTheBitsOfTheWhole) {
  const NoiseKey key{1, 2, 3};
  constexpr std::int64_t kCut = 1000;
  for (const c10::ScalarType type : {at::kFloat, at::kDouble}) {
    const at::Tensor gradient = values(kOdd, 3, type);
    const at::Tensor slope = values(kOdd, 4, type).sigmoid();
    at::Tensor whole[2] = {at::zeros({kOdd}, type), at::zeros({kOdd}, type)};
    fold_gradients({gradient}, {key}, slope, whole[0], whole[1]);
    at::Tensor pieces[2] = {at::zeros({kOdd}, type), at::zeros({kOdd}, type)};
    for (const auto& [first, end] : {std::pair{kCut, kOdd}, std::pair{std::int64_t{0}, kCut}}) {
      fold_gradients({gradient.slice(0, first, end)}, {key}, slope.slice(0, first, end),
                     pieces[0].slice(0, first, end), pieces[1].slice(0, first, end), first);
    }
    EXPECT_TRUE(at::equal(pieces[0], whole[0]));
    EXPECT_TRUE(at::equal(pieces[1], whole[1]));
  }
}

TEST(FoldGradients, RefuseListsThatDoNotMatch) {
  at::Tensor buffer = values(10, 1);
  EXPECT_THROW(fold_gradients({buffer}, {}, buffer, buffer, buffer), ArgumentError);
  EXPECT_THROW(fold_gradients({values(9, 1)}, {{}}, buffer, buffer, buffer), ArgumentError);
}

TEST(SigmaAndSlope, KeepRelativePrecisionOnBothSides) {
  const at::Tensor rho = at::cat({at::linspace(-80, 80, 40'001), at::zeros({1})});
  at::Tensor sigma = at::empty_like(rho);
  at::Tensor slope = at::empty_like(rho);
  sigma_and_slope(rho, sigma, slope);
  const at::Tensor exact = at::softplus(rho.to(at::kDouble), 1, 40);
  const at::Tensor exact_slope = rho.to(at::kDouble).sigmoid();
  EXPECT_LT(((sigma - exact) / exact).abs().max().item<double>(), 5e-7);
  EXPECT_LT(((slope - exact_slope) / exact_slope).abs().max().item<double>(), 5e-7);
  at::Tensor alone = at::empty_like(rho);
  sigma_and_slope(rho, alone, {});
  EXPECT_TRUE(at::equal(alone, sigma));
  const at::Tensor in_double = rho.to(at::kDouble);
  at::Tensor sigma_in_double = at::empty_like(in_double);
  sigma_and_slope(in_double, sigma_in_double, {});
  EXPECT_TRUE(at::equal(sigma_in_double, sigma_from_rho(in_double)));
}

TEST(KlGradient, IsTheClosedFormAndItsDerivative) {
  const KlKernelOptions options{0.7, 1e-3};
  for (const c10::ScalarType type : {at::kFloat, at::kDouble}) {
    const at::Tensor mu = values(kOdd, 1, type);
    const at::Tensor rho = values(kOdd, 2, type) - 3;
    const at::Tensor prior = 0.1 * values(kOdd, 3, type);
    at::Tensor sigma = at::empty_like(mu);
    at::Tensor slope = at::empty_like(mu);
    sigma_and_slope(rho, sigma, slope);
    at::Tensor of_mu = at::ones_like(mu);
    at::Tensor of_rho = at::ones_like(mu);
    const double kl = kl_gradient(mu, sigma, slope, prior, options, of_mu, of_rho);

    at::Tensor m = mu.to(at::kDouble).requires_grad_();
    at::Tensor r = rho.to(at::kDouble).requires_grad_();
    const at::Tensor s = at::softplus(r, 1, 40);
    const at::Tensor exact = options.weight * (at::log(options.prior_sigma / s) +
                                               (s.square() + (m - prior).square()) /
                                                   (2 * options.prior_sigma * options.prior_sigma) -
                                               0.5)
                                                  .sum();
    exact.backward();
    EXPECT_NEAR(kl, exact.item<double>(), 1e-6 * kl);
    EXPECT_LT(largest_difference(of_mu, 1 + m.grad()), 1e-6);
    EXPECT_LT(largest_difference(of_rho, 1 + r.grad()), 1e-6);
  }
}

TEST(KlGradient, DoesNotDependOnThreads) {
  const at::Tensor mu = values(kOdd, 1);
  const at::Tensor sigma = values(kOdd, 2).abs() + 0.01;
  const auto [one, three] = on_one_and_three_threads([&] {
    at::Tensor of_mu = at::zeros({kOdd});
    at::Tensor of_rho = at::zeros({kOdd});
    const double kl = kl_gradient(mu, sigma, sigma, at::zeros({kOdd}), {}, of_mu, of_rho);
    return at::cat({of_mu.to(at::kDouble), of_rho.to(at::kDouble), at::full({1}, kl, at::kDouble)});
  });
  EXPECT_TRUE(at::equal(one, three));
}

}  // namespace
}  // namespace cubcal
