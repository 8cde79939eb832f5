#include "cubcal/bayes/kl.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/bayes/noise.h"
#include "cubcal/core/error.h"

namespace cubcal {
namespace {

/// ln(b/a) + (a^2 + (m-n)^2) / (2 b^2) - 1/2 for N(m, a^2) against N(n, b^2).
double closed_form(double m, double a, double n, double b) {
  return std::log(b / a) + (a * a + (m - n) * (m - n)) / (2 * b * b) - 0.5;
}

struct SmallStore : ParameterStore {
  SmallStore() {
    add_parameter("a", {5, 4}, ParameterKind::kVariational, {Initialisation::Law::kNormal, 1});
    add_parameter("point", {3}, ParameterKind::kPoint, {});
    add_parameter("b", {7}, ParameterKind::kVariational, {Initialisation::Law::kNormal, 1});
    allocate(at::kDouble, at::kCPU);
    enable_gradients();
    initialise(*this, 2);
    normal_noise(rho(), {1, 0, 0});
    rho().sub_(2);
    normal_noise(prior_mean(), {2, 0, 0});
  }

  double element(std::int64_t i, double prior_sigma) const {
    return closed_form(mu()[i].item<double>(), std::log1p(std::exp(rho()[i].item<double>())),
                       prior_mean()[i].item<double>(), prior_sigma);
  }
};

TEST(Kl, EqualsTheClosedFormInBothReductions) {
  SmallStore store;
  KlOptions options;
  options.prior_sigma = 0.7;
  options.weight = 2.5;
  const KlScale scale{100, 8};
  double total = 0;
  double mean_a = 0;
  double mean_b = 0;
  for (std::int64_t i = 0; i < 27; ++i) {
    const double value = store.element(i, 0.7);
    total += value;
    (i < 20 ? mean_a : mean_b) += value / (i < 20 ? 20 : 7);
  }
  EXPECT_NEAR(kl_term(store, options, scale), 2.5 * total / 100, 1e-12);
  EXPECT_NEAR(add_kl_gradient(store, options, scale).item<double>(), 2.5 * total / 100, 1e-12);
  options.reduction = KlReduction::kMean;
  EXPECT_NEAR(kl_term(store, options, scale), 2.5 * (mean_a + mean_b) / 8, 1e-12);
  EXPECT_NEAR(add_kl_gradient(store, options, scale).item<double>(), 2.5 * (mean_a + mean_b) / 8,
              1e-12);
}

TEST(Kl, IsZeroForThePriorItself) {
  const at::Tensor mean = at::tensor({0.3, -1.0});
  const at::Tensor rho = at::tensor({std::log(std::expm1(0.5)), std::log(std::expm1(0.5))});
  EXPECT_NEAR(kl_elements(mean, rho, mean, 0.5).abs().max().item<double>(), 0, 1e-15);
  EXPECT_GT(kl_elements(mean, rho + 0.1, mean, 0.5).min().item<double>(), 0);
}

TEST(Kl, GradientEqualsFiniteDifferences) {
  for (const KlReduction reduction : {KlReduction::kElbo, KlReduction::kMean}) {
    SmallStore store;
    const KlOptions options{reduction, 1.3, 0.8};
    const KlScale scale{10, 4};
    store.mu_gradient().fill_(1);  // it must add, not replace
    add_kl_gradient(store, options, scale);
    const auto difference = [&](const at::Tensor& flat, std::int64_t i) {
      constexpr double kStep = 1e-5;
      const double value = flat[i].item<double>();
      flat[i] = value + kStep;
      const double above = kl_term(store, options, scale);
      flat[i] = value - kStep;
      const double below = kl_term(store, options, scale);
      flat[i] = value;
      return (above - below) / (2 * kStep);
    };
    for (std::int64_t i = 0; i < 27; ++i) {
      EXPECT_NEAR(store.mu_gradient()[i].item<double>() - 1, difference(store.mu(), i), 1e-8);
      EXPECT_NEAR(store.rho_gradient()[i].item<double>(), difference(store.rho(), i), 1e-8);
    }
    EXPECT_EQ(store.point_gradient().abs().max().item<double>(), 0);
  }
}

TEST(Kl, LargeBuffersAreCutWithoutChangingTheSum) {
  ParameterStore store;
  store.add_parameter("w", {100'001}, ParameterKind::kVariational,
                      {Initialisation::Law::kNormal, 0.1});
  store.allocate(at::kDouble, at::kCPU);
  store.enable_gradients();
  initialise(store, 1);
  const double whole =
      kl_elements(store.mu(), store.rho(), store.prior_mean(), 1).sum().item<double>();
  EXPECT_NEAR(add_kl_gradient(store, {}, {50, 1}).item<double>() / (whole / 50), 1, 1e-12);
  EXPECT_TRUE(at::allclose(store.mu_gradient(), store.mu() / 50));
}

TEST(Kl, SaysItsWeightInWords) {
  SmallStore store;
  EXPECT_EQ(describe_kl_weight(store, {}, {2930, 16}),
            "KL term: sum over 27 Gaussian weights / 2,930 training samples x kl_weight 1 (elbo), "
            "so each nat of KL weighs 0.000341297");
  const KlOptions mean{KlReduction::kMean, 0.5, 1};
  EXPECT_EQ(describe_kl_weight(store, mean, {2700, 20}),
            "KL term: sum over 2 tensors of the mean KL of their 27 Gaussian weights / batch of 20 "
            "x kl_weight 0.5 (mean), about 5 times the weight of the true bound");
  ParameterStore none;
  none.allocate(at::kFloat, at::kCPU);
  EXPECT_EQ(describe_kl_weight(none, {}, {1, 1}),
            "KL term: none, the network has no Gaussian weights");
}

TEST(Kl, RefusesWhatMakesNoSense) {
  SmallStore store;
  EXPECT_THROW(kl_term(store, {KlReduction::kElbo, -1, 1}, {}), ArgumentError);
  EXPECT_THROW(kl_term(store, {KlReduction::kElbo, 1, 0}, {}), ArgumentError);
  EXPECT_THROW(kl_term(store, {}, {0, 1}), ArgumentError);
  EXPECT_THROW(value_named(kKlReductions, "sum"), ArgumentError);
  EXPECT_EQ(value_named(kKlReductions, "mean"), KlReduction::kMean);
}

}  // namespace
}  // namespace cubcal
