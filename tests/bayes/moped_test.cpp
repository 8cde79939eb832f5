#include "cubcal_nn/bayes/moped.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal_nn/bayes/layer_factory.h"
#include "cubcal_nn/kernels/sigma.h"

namespace cubcal {
namespace {

void build(ParameterStore& store, LayerFactory factory, std::int64_t classes) {
  Conv2dOptions conv;
  conv.out_channels = 6;
  factory.conv2d("conv", conv);
  factory.batch_norm("bn", 6);
  factory.linear("fc", 6, classes);
  store.allocate(at::kFloat, at::kCPU);
  initialise(store, 1);
}

TEST(Moped, TakesMeansAndSpreadFromTheTrainedWeights) {
  ParameterStore trained;
  build(trained, LayerFactory::deterministic(trained), 3);
  trained.mean_weights()[trained.index_of("fc.weight")][0][0].fill_(0);
  trained.mean_weights()[trained.index_of("bn.weight")].fill_(0.7);
  trained.buffer(0).fill_(0.3);
  ParameterStore bayesian;
  build(bayesian, LayerFactory::variational(bayesian), 3);
  bayesian.mu().zero_();

  convert_by_moped(trained, bayesian);
  for (const ParameterEntry& entry : trained.parameters()) {
    EXPECT_TRUE(at::equal(trained.mean_weights()[trained.index_of(entry.path)],
                          bayesian.mean_weights()[bayesian.index_of(entry.path)]))
        << entry.path;
  }
  EXPECT_TRUE(at::equal(trained.buffer_values(), bayesian.buffer_values()));
  const at::Tensor expected = (bayesian.mu().abs() * 0.1).clamp_min(1e-4);
  EXPECT_TRUE(at::allclose(sigma_from_rho(bayesian.rho()), expected, 1e-4, 1e-8));
  EXPECT_EQ(bayesian.prior_mean().abs().max().item<float>(), 0.0F);

  MopedOptions options;
  options.delta = 0.5;
  options.prior = MopedPrior::kWeights;
  convert_by_moped(trained, bayesian, options);
  EXPECT_TRUE(at::equal(bayesian.prior_mean(), bayesian.mu()));
  EXPECT_TRUE(at::allclose(sigma_from_rho(bayesian.rho()),
                           (bayesian.mu().abs() * 0.5).clamp_min(1e-4), 1e-4, 1e-8));
}

TEST(Moped, NamesWhatDoesNotFit) {
  ParameterStore trained;
  build(trained, LayerFactory::deterministic(trained), 4);
  ParameterStore bayesian;
  build(bayesian, LayerFactory::variational(bayesian), 3);
  try {
    convert_by_moped(trained, bayesian);
    FAIL() << "a head of another size must be refused";
  } catch (const DataError& error) {
    EXPECT_STREQ(error.what(),
                 "the trained network does not fit the Bayesian one: of another shape: "
                 "fc.weight.mu: expected (3, 6), got (4, 6), fc.bias.mu: expected (3), got (4)");
  }
  EXPECT_THROW(convert_by_moped(bayesian, bayesian), ArgumentError);
  EXPECT_THROW(convert_by_moped(trained, bayesian, {0.0}), ArgumentError);
}

TEST(Sigma, IsStableAndInvertible) {
  const at::Tensor rho = at::tensor({-700.0, -50.0, -3.0, 0.0, 1.0, 39.0, 41.0, 800.0});
  const at::Tensor sigma = sigma_from_rho(rho);
  EXPECT_NEAR(sigma[0].item<double>() / std::exp(-700.0), 1, 1e-12);
  EXPECT_NEAR(sigma[2].item<double>(), std::log1p(std::exp(-3.0)), 1e-16);
  EXPECT_NEAR(sigma[3].item<double>(), std::log(2.0), 1e-16);
  EXPECT_EQ(sigma[7].item<double>(), 800.0);
  EXPECT_TRUE(at::allclose(rho_from_sigma(sigma), rho, 1e-12, 1e-12));
  const at::Tensor narrow = at::tensor({1e-4F, 1e-2F, 1.0F, 30.0F});
  EXPECT_TRUE(at::allclose(sigma_from_rho(rho_from_sigma(narrow)), narrow, 1e-5, 0));
}

}  // namespace
}  // namespace cubcal
