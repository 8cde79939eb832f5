#include "cubcal_nn/bayes/layers.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal_nn/bayes/layer_factory.h"
#include "cubcal_nn/bayes/weight_passes.h"

namespace cubcal {
namespace {

at::Tensor filled(at::IntArrayRef shape, std::uint64_t stream) {
  at::Tensor values = at::empty(shape, at::kDouble);
  normal_noise(values, {99, stream, 0});
  return values;
}

/// mu + log(1 + exp(rho)) * noise of one element, by the letter.
double weight_at(const ParameterStore& store, const at::Tensor& noise, const char* path,
                 std::int64_t i) {
  const std::int64_t place = store.parameters()[store.index_of(path)].offset + i;
  return store.mu()[place].item<double>() +
         std::log(1 + std::exp(store.rho()[place].item<double>())) * noise[place].item<double>();
}

struct ConvolutionCase {
  std::int64_t kernel, stride, padding, dilation, groups;
  bool bias;
};

class VariationalConvolution : public testing::TestWithParam<ConvolutionCase> {};

TEST_P(VariationalConvolution, EqualsTheClosedForm) {
  const ConvolutionCase& c = GetParam();
  Conv2dOptions options;
  options.in_channels = 4;
  options.out_channels = 6;
  options.kernel = c.kernel;
  options.stride = c.stride;
  options.padding = c.padding;
  options.dilation = c.dilation;
  options.groups = c.groups;
  options.bias = c.bias;
  ParameterStore store;
  const Conv2d conv = LayerFactory::variational(store).conv2d("conv", options);
  store.allocate(at::kDouble, at::kCPU);
  initialise(store, 1);
  store.rho().copy_(filled(store.rho().sizes(), 1));
  const at::Tensor noise = filled(store.mu().sizes(), 2);
  WeightPasses passes(store, 1, WeightPasses::Use::kPrediction);
  passes.draw(std::vector<at::Tensor>{noise});

  const at::Tensor x = filled({2, 4, 9, 8}, 3);
  const at::Tensor y = conv(x, ForwardContext(passes.weights(0)));
  const auto image = x.accessor<double, 4>();
  const std::int64_t per_group_in = 4 / c.groups;
  const std::int64_t per_group_out = 6 / c.groups;
  std::vector<double> weights;
  for (std::int64_t i = 0; i < 6 * per_group_in * c.kernel * c.kernel; ++i) {
    weights.push_back(weight_at(store, noise, "conv.weight", i));
  }
  const std::int64_t reach = c.dilation * (c.kernel - 1);
  ASSERT_EQ(y.size(2), (9 + 2 * c.padding - reach - 1) / c.stride + 1);
  ASSERT_EQ(y.size(3), (8 + 2 * c.padding - reach - 1) / c.stride + 1);
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t o = 0; o < 6; ++o) {
      for (std::int64_t row = 0; row < y.size(2); ++row) {
        for (std::int64_t column = 0; column < y.size(3); ++column) {
          double sum = c.bias ? weight_at(store, noise, "conv.bias", o) : 0.0;
          for (std::int64_t i = 0; i < per_group_in; ++i) {
            for (std::int64_t u = 0; u < c.kernel; ++u) {
              for (std::int64_t v = 0; v < c.kernel; ++v) {
                const std::int64_t r = row * c.stride - c.padding + u * c.dilation;
                const std::int64_t s = column * c.stride - c.padding + v * c.dilation;
                if (r < 0 || r >= 9 || s < 0 || s >= 8) continue;
                const std::int64_t place = ((o * per_group_in + i) * c.kernel + u) * c.kernel + v;
                sum += weights[static_cast<std::size_t>(place)] *
                       image[b][o / per_group_out * per_group_in + i][r][s];
              }
            }
          }
          ASSERT_NEAR(y[b][o][row][column].item<double>(), sum, 1e-11);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, VariationalConvolution,
                         testing::Values(ConvolutionCase{3, 1, 1, 1, 1, true},
                                         ConvolutionCase{3, 2, 0, 1, 1, false},
                                         ConvolutionCase{3, 1, 2, 2, 1, true},
                                         ConvolutionCase{1, 1, 0, 1, 2, true},
                                         ConvolutionCase{5, 2, 2, 1, 2, false}));

TEST(VariationalLinear, EqualsTheClosedForm) {
  ParameterStore store;
  const Linear linear = LayerFactory::variational(store).linear("fc", 5, 3);
  store.allocate(at::kDouble, at::kCPU);
  initialise(store, 1);
  const at::Tensor noise = filled(store.mu().sizes(), 2);
  WeightPasses passes(store, 1, WeightPasses::Use::kPrediction);
  passes.draw(std::vector<at::Tensor>{noise});
  const at::Tensor x = filled({2, 5}, 3);
  const at::Tensor y = linear(x, ForwardContext(passes.weights(0)));
  for (std::int64_t b = 0; b < 2; ++b) {
    for (std::int64_t o = 0; o < 3; ++o) {
      double sum = weight_at(store, noise, "fc.bias", o);
      for (std::int64_t i = 0; i < 5; ++i) {
        sum += weight_at(store, noise, "fc.weight", 5 * o + i) * x[b][i].item<double>();
      }
      EXPECT_NEAR(y[b][o].item<double>(), sum, 1e-12);
    }
  }
}

TEST(Depthwise, EqualsOneConvolutionPerChannel) {
  Conv2dOptions options;
  options.in_channels = options.out_channels = options.groups = 4;
  options.padding = 1;
  ParameterStore store;
  const Conv2d conv = LayerFactory::deterministic(store).conv2d("conv", options);
  store.allocate(at::kDouble, at::kCPU);
  initialise(store, 1);
  const at::Tensor x = filled({2, 4, 6, 6}, 3);
  const at::Tensor y = conv(x, ForwardContext(store.mean_weights()));
  for (std::int64_t k = 0; k < 4; ++k) {
    const at::Tensor alone = at::conv2d(x.narrow(1, k, 1), store.mean_weights()[0].narrow(0, k, 1),
                                        store.mean_weights()[1].narrow(0, k, 1), 1, 1);
    EXPECT_TRUE(at::allclose(y.narrow(1, k, 1), alone, 1e-10, 1e-12));
  }
}

TEST(Dropout, FollowsTheMode) {
  ParameterStore store;
  LayerFactory factory = LayerFactory::mc_dropout(store);
  const Dropout dropout = factory.dropout(0.5);
  const at::Tensor x = at::ones({3, 64}, at::kDouble);
  ForwardContext context(store.mean_weights());
  EXPECT_TRUE(at::equal(dropout(x, context), x));
  context.mc_dropout = true;
  context.noise = {1, 0, 4};
  context.first_sample = 10;
  const at::Tensor whole = dropout(x, context);
  EXPECT_FALSE(at::equal(whole, x));
  context.first_sample = 11;
  EXPECT_TRUE(at::equal(dropout(x.slice(0, 1), context), whole.slice(0, 1)));
  context.samples = {12, 10};
  EXPECT_TRUE(
      at::equal(dropout(x.slice(0, 1), context), whole.index_select(0, at::tensor({2, 0}))));
  context.mc_dropout = false;
  context.training = true;
  EXPECT_FALSE(at::equal(dropout(x.slice(0, 1), context), x.slice(0, 1)));
  context.samples = {1};
  EXPECT_THROW(dropout(x, context), ArgumentError);
}

TEST(LayerFactory, DecidesHowWeightsAreHeld) {
  for (const LayerKind kind :
       {LayerKind::kDeterministic, LayerKind::kVariational, LayerKind::kMcDropout}) {
    EXPECT_EQ(parse_layer_kind(layer_kind_name(kind)), kind);
  }
  EXPECT_THROW(parse_layer_kind("bayesian"), ArgumentError);
  ParameterStore store;
  LayerFactory factory = LayerFactory::variational(store);
  factory.linear("fc", 3, 2);
  factory.batch_norm("bn", 4);
  EXPECT_EQ(store.variational_size(), 8);
  EXPECT_EQ(store.point_size(), 8);
  Conv2dOptions odd;
  odd.in_channels = 3;
  odd.out_channels = 4;
  odd.groups = 2;
  EXPECT_THROW(factory.conv2d("conv", odd), ArgumentError);
  EXPECT_THROW(factory.dropout(1.0), ArgumentError);
}

}  // namespace
}  // namespace cubcal
