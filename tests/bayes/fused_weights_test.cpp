#include "cubcal_nn/bayes/fused_weights.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <limits>
#include <optional>

#include "cubcal_nn/bayes/batched_layers.h"
#include "cubcal_nn/bayes/block_conv.h"
#include "cubcal_nn/bayes/layer_factory.h"
#include "cubcal_nn/bayes/weight_passes.h"
#include "cubcal_nn/kernels/device_graph.h"

namespace cubcal {
namespace {

/// Layers of every shape the kernels tell apart: 3x3, 1x1, depthwise, a row longer than a tile, a
/// linear one; first at places that are multiples of four, then of two, then at odd ones.
struct Layers {
  explicit Layers(c10::Device device, LayerKind kind = LayerKind::kVariational)
      : factory(kind == LayerKind::kVariational ? LayerFactory::variational(store)
                                                : LayerFactory::deterministic(store)) {
    const auto conv = [&](std::int64_t in, std::int64_t out, std::int64_t kernel,
                          std::int64_t groups, bool bias) {
      Conv2dOptions options;
      options.in_channels = in;
      options.out_channels = out;
      options.kernel = kernel;
      options.groups = groups;
      options.bias = bias;
      return options;
    };
    factory.conv_norm("u", conv(64, 20, 3, 1, false), "un");
    factory.conv_norm("v", conv(12, 500, 1, 1, false), "vn");
    factory.linear("w", 8, 6);
    factory.conv_norm("x", conv(12, 500, 1, 1, true), "xn");
    factory.conv_norm("a", conv(5, 7, 3, 1, false), "an");
    factory.conv_norm("b", conv(7, 11, 1, 1, true), "bn");
    factory.conv2d("c", conv(11, 11, 3, 11, true));
    factory.conv2d("d", conv(700, 3, 3, 1, false));
    factory.linear("e", 33, 5);
    store.allocate(at::kFloat, device);
    initialise(store, 4, -1.5);
    const at::Tensor values =
        at::sin(at::arange(store.buffer_values().numel(), at::kFloat)).abs() + 0.3;
    store.buffer_values().copy_(values);
    store.point().copy_(at::cos(at::arange(store.point_size(), at::kFloat)));
  }

  ParameterStore store;
  LayerFactory factory;
};

double distance(const at::Tensor& a, const at::Tensor& b) {
  const at::Tensor reference = a.cpu().to(at::kDouble);
  return ((reference - b.cpu().to(at::kDouble)).norm() / (reference.norm() + 1e-12)).item<double>();
}

/// The tests run on the CPU and, where there is one, on a GPU.
class Fused : public testing::TestWithParam<c10::DeviceType> {
 protected:
  c10::Device device() const { return c10::Device(GetParam()); }
  void SetUp() override {
    if (GetParam() == c10::DeviceType::CUDA &&
        !(at::globalContext().hasCUDA() && has_fused_kernels(device()))) {
      GTEST_SKIP() << "no CUDA device or no CUDA kernels";
    }
  }
};

TEST_P(Fused, DrawsAreThoseOfTheWeightPasses) {
  Layers layers(device());
  WeightPasses plain(layers.store, 3, WeightPasses::Use::kPrediction);
  plain.draw(NoiseKey{9, 8, 7});
  FusedWeights fused(layers.store, {3, at::kFloat, false, 0});
  fused.set_key({9, 8, 7});
  fused.draw();
  for (std::size_t s = 0; s < 3; ++s) {
    const ForwardContext context = fused.context(s);
    const FusedWeights::Part whole = fused.part(0, 3);
    const ForwardContext all = fused.context(whole, 1);
    for (std::size_t i = 0; i < layers.store.parameters().size(); ++i) {
      const at::Tensor& expected = plain.weights(s)[i];
      EXPECT_LT(distance(expected, (*context.weights)[i]), 1e-6) << i;
      if (layers.store.parameters()[i].kind == ParameterKind::kPoint) continue;
      const at::Tensor of_all = (*all.weights)[i][static_cast<std::int64_t>(s)];
      EXPECT_LT(distance(expected, expected.dim() == 4 ? of_all.permute({0, 3, 1, 2}) : of_all),
                1e-6);
    }
  }
  const at::Tensor& weight = (*fused.context(0).weights)[0];
  EXPECT_TRUE(weight.is_contiguous(at::MemoryFormat::ChannelsLast));
}

/// On a GPU their noise is worked out by quicker functions than that of draws in float32.
TEST_P(Fused, DrawsInBfloat16AreThoseInFloat32) {
  Layers layers(device());
  FusedWeights exact(layers.store, {3, at::kFloat, false, 0});
  FusedWeights rounded(layers.store, {3, at::kBFloat16, false, 0});
  for (FusedWeights* each : {&exact, &rounded}) {
    each->set_key({9, 8, 7});
    each->draw();
  }
  const TensorTable expected = exact.part(0, 3).weights;
  const TensorTable drawn = rounded.part(0, 3).weights;
  for (std::size_t i = 0; i < layers.store.parameters().size(); ++i) {
    const at::Tensor difference = (drawn[i].to(at::kFloat) - expected[i]).abs();
    // Half a place of bfloat16, and what the functions may be off by.
    EXPECT_TRUE((difference <= expected[i].abs() / 250 + 1e-3).all().item<bool>()) << i;
  }
}

FoldedNorm folded_norm(const ParameterStore& store, const NormFold& fold) {
  const c10::NoGradGuard no_grad;
  const at::Tensor scale = store.mean_weights()[fold.norm_weight] /
                           (store.buffer(fold.running_var) + kNormEpsilon).sqrt();
  return {scale, store.mean_weights()[fold.norm_bias] - scale * store.buffer(fold.running_mean)};
}

TEST_P(Fused, NormsFoldIntoWeightsAndBiases) {
  for (const LayerKind kind : {LayerKind::kVariational, LayerKind::kDeterministic}) {
    Layers layers(device(), kind);
    FusedWeights plain(layers.store, {1, at::kFloat, false, 0});
    FusedWeights folded(layers.store, {1, at::kFloat, true, 0});
    for (FusedWeights* each : {&plain, &folded}) {
      each->set_key({1, 2, 3});
      each->draw();
    }
    for (const NormFold& fold : layers.store.norm_folds()) {
      const FoldedNorm norm = folded_norm(layers.store, fold);
      const TensorTable& before = *plain.context(0).weights;
      const TensorTable& after = *folded.context(0).weights;
      EXPECT_LT(distance(before[fold.weight] * norm.scale.view({-1, 1, 1, 1}), after[fold.weight]),
                1e-6);
      const at::Tensor bias = fold.bias ? before[*fold.bias] * norm.scale + norm.shift : norm.shift;
      EXPECT_LT(distance(bias, after[fold.bias.value_or(fold.norm_bias)]), 1e-6);
    }
  }
}

TEST_P(Fused, GradientsFoldAsThePlainFormulasSay) {
  for (const LayerKind kind : {LayerKind::kVariational, LayerKind::kDeterministic}) {
    Layers layers(device(), kind);
    ParameterStore& store = layers.store;
    FusedWeights fused(store, {2, at::kFloat, false, 0});
    fused.need_gradients();
    fused.set_key({3, 2, 1});
    fused.draw();
    // Gradients that are known functions of place, in the layout autograd would give.
    std::vector<std::vector<at::Tensor>> gradients(2);
    std::vector<at::Tensor> flat(2, at::zeros_like(store.mu()));
    at::Tensor points = at::zeros_like(store.point());
    for (std::size_t s = 0; s < 2; ++s) {
      flat[s] = at::zeros_like(store.mu());
      for (std::size_t i = 0; i < fused.leaves(s).size(); ++i) {
        const at::Tensor& leaf = fused.leaves(s)[i];
        gradients[s].push_back(at::sin(leaf.detach() * (1.0 + static_cast<double>(s + i))));
      }
    }
    const KlOptions kl{KlReduction::kMean, 0.7, 0.8};
    const double value = fused.fold(gradients, kl, {50, 4}).item<double>();

    std::size_t place = 0;
    for (const ParameterKind each : {ParameterKind::kVariational, ParameterKind::kPoint}) {
      for (std::size_t i = 0; i < store.parameters().size(); ++i) {
        const ParameterEntry& entry = store.parameters()[i];
        const bool is_norm = entry.path[1] == 'n';
        if (entry.kind != each || is_norm) continue;
        for (std::size_t s = 0; s < 2; ++s) {
          if (each == ParameterKind::kVariational) {
            store.view(flat[s], i).copy_(gradients[s][place]);
          } else {
            store.view(points, i).add_(gradients[s][place]);
          }
        }
        ++place;
      }
    }
    for (std::size_t i = 0; i < store.parameters().size(); ++i) {
      if (store.parameters()[i].path[1] != 'n') continue;
      for (std::size_t s = 0; s < 2; ++s) store.view(points, i).add_(gradients[s][place]);
      ++place;
    }
    EXPECT_LT(distance(points, store.point_gradient()), 1e-6);
    const at::Tensor mu_gradient = store.mu_gradient().clone();
    const at::Tensor rho_gradient = store.rho_gradient().clone();
    store.mu_gradient().zero_();
    store.rho_gradient().zero_();
    if (store.variational_size() > 0) {
      at::Tensor noise = at::empty_like(store.mu());
      for (std::size_t s = 0; s < 2; ++s) {
        normal_noise(noise, {3, 2, 1 + static_cast<std::uint32_t>(s)});
        store.mu_gradient().add_(flat[s]);
        store.rho_gradient().add_(flat[s] * noise * store.rho().sigmoid());
      }
      const double expected = add_kl_gradient(store, kl, {50, 4}).item<double>();
      EXPECT_NEAR(value, expected, 1e-5 * std::abs(expected));
      EXPECT_LT(distance(store.mu_gradient(), mu_gradient), 1e-5);
      EXPECT_LT(distance(store.rho_gradient(), rho_gradient), 1e-5);
    } else {
      EXPECT_EQ(value, 0);
    }
  }
}

TEST_P(Fused, MasksAreThoseOfDropout) {
  const std::vector<std::int64_t> samples = {4, 9, 4};
  const at::Tensor mask = at::empty({3, 50}, at::TensorOptions().device(device()));
  const NoiseWords words = dropout_words({1, 2, 3}, 1);
  std::vector<std::int32_t> bits(words.begin(), words.end());
  fused_dropout_mask(mask, at::tensor(samples, at::kLong).to(device()),
                     at::tensor(bits, at::kInt).to(device()), 0.3);
  EXPECT_TRUE(at::equal(mask.cpu(), dropout_mask(samples, 50, 0.3, 1, {1, 2, 3}, at::kFloat)));
}

TEST_P(Fused, BiasResidualAndReluAreOnePass) {
  for (const std::int64_t channels : {16, 3}) {
    const auto values = [&](double phase, std::vector<std::int64_t> shape) {
      std::int64_t count = 1;
      for (const std::int64_t extent : shape) count *= extent;
      return at::sin(at::arange(count, at::kFloat) * phase).view(shape).to(device());
    };
    const at::Tensor x =
        values(0.7, {4, channels, 5, 3}).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor residual =
        values(0.3, {4, channels, 5, 3}).contiguous(at::MemoryFormat::ChannelsLast);
    const at::Tensor bias = values(1.1, {2, channels});  // of two draws
    const at::Tensor expected =
        (x + bias.repeat_interleave(2, 0).view({4, channels, 1, 1}) + residual).relu();
    const at::Tensor y = x.clone();
    fused_bias_act(y, bias, residual, true);
    EXPECT_LT(distance(expected, y), 1e-6);
    const at::Tensor linear = x.clone();
    fused_bias_act(linear, bias[0], {}, false);
    EXPECT_LT(distance(x + bias[0].view({1, channels, 1, 1}), linear), 1e-6);
  }
}

TEST_P(Fused, DrawsAtOnceAreConvolutionsDrawByDraw) {
  for (const std::int64_t channels : {8, 3}) {
    for (const bool shared : {true, false}) {
      Conv2dOptions options;
      options.in_channels = channels;
      options.out_channels = 6;
      options.kernel = 3;
      options.stride = 2;
      options.padding = 1;
      const at::Tensor weight = at::sin(at::arange(2 * 6 * 9 * channels, at::kFloat))
                                    .view({2, 6, 3, 3, channels})
                                    .to(device());
      const std::int64_t rows = shared ? 2 : 4;
      const at::Tensor x = at::cos(at::arange(rows * channels * 7 * 9, at::kFloat))
                               .view({rows, channels, 7, 9})
                               .to(device())
                               .contiguous(at::MemoryFormat::ChannelsLast);
      const at::Tensor y = batched_conv2d(x, weight, options, shared, {});
      for (std::int64_t s = 0; s < 2; ++s) {
        const at::Tensor of_draw = shared ? x : x.narrow(0, 2 * s, 2);
        const at::Tensor expected = at::conv2d(of_draw, weight[s].permute({0, 3, 1, 2}), {}, 2, 1);
        EXPECT_LT(distance(expected, y.narrow(0, 2 * s, 2)), 2e-3);  // TF32 on a GPU
      }
    }
  }
}

TEST_P(Fused, DepthwiseDrawsAtOnceAreConvolutionsDrawByDraw) {
  for (const std::int64_t channels : {6, 5}) {
    for (const bool shared : {true, false}) {
      for (const std::int64_t stride : {1, 2}) {
        Conv2dOptions options;
        options.in_channels = channels;
        options.out_channels = channels;
        options.groups = channels;
        options.stride = stride;
        options.padding = 1;
        // As in a buffer of draws, where other parameters lie between the weights of two draws.
        const at::Tensor weight =
            at::sin(at::arange(3 * (9 * channels + 7), at::kFloat))
                .to(device())
                .as_strided({3, channels, 3, 3, 1}, {9 * channels + 7, 9, 3, 1, 1});
        const std::int64_t rows = shared ? 2 : 6;
        const at::Tensor x = at::cos(at::arange(rows * channels * 11 * 13, at::kFloat))
                                 .view({rows, channels, 11, 13})
                                 .to(device())
                                 .contiguous(at::MemoryFormat::ChannelsLast);
        const at::Tensor y = batched_conv2d(x, weight, options, shared, {});
        EXPECT_TRUE(y.is_contiguous(at::MemoryFormat::ChannelsLast));
        for (std::int64_t s = 0; s < 3; ++s) {
          const at::Tensor of_draw = shared ? x : x.narrow(0, 2 * s, 2);
          const at::Tensor expected = at::conv2d(
              of_draw.cpu(), weight[s].cpu().permute({0, 3, 1, 2}), {}, stride, 1, 1, channels);
          EXPECT_LT(distance(expected, y.narrow(0, 2 * s, 2)), 1e-6);
        }
      }
    }
  }
}

TEST_P(Fused, ConvolutionsOfBlocksAreThoseOfPixels) {
  for (const std::int64_t channels : {3, 1}) {
    for (const std::int64_t kernel : {7, 3, 4}) {
      Conv2dOptions options;
      options.in_channels = channels;
      options.out_channels = 5;
      options.kernel = kernel;
      options.stride = 2;
      options.padding = kernel / 2;
      const at::Tensor weight = at::sin(at::arange(5 * channels * kernel * kernel, at::kFloat))
                                    .view({5, channels, kernel, kernel})
                                    .to(device())
                                    .contiguous(at::MemoryFormat::ChannelsLast);
      const at::Tensor x = at::cos(at::arange(2 * channels * 14 * 10, at::kFloat))
                               .view({2, channels, 14, 10})
                               .to(device())
                               .contiguous(at::MemoryFormat::ChannelsLast);
      EXPECT_FALSE(is_slow_stem(x, options));  // float32
      EXPECT_EQ(is_slow_stem(x.to(at::kBFloat16), options), device().is_cuda());
      EXPECT_FALSE(is_slow_stem(x.narrow(2, 0, 13).to(at::kBFloat16), options));
      const at::Tensor expected =
          at::conv2d(x.cpu(), weight.cpu(), {}, 2, options.padding).to(device());
      const at::Tensor y = conv2d_of_blocks(x, weight, options);
      ASSERT_EQ(y.sizes(), expected.sizes()) << kernel;
      EXPECT_LT(distance(expected, y), device().is_cuda() ? 2e-3 : 1e-6) << kernel;
    }
  }
}

/// A GPU adds it within the convolution where it can; neither may what lies in memory it has not
/// written show, nor a NaN be lost.
TEST_P(Fused, WhatFollowsAConvolutionIsAdded) {
  for (const std::int64_t channels : {16, 12}) {
    Conv2dOptions options;
    options.in_channels = channels;
    options.out_channels = channels;
    options.kernel = 3;
    options.padding = 1;
    const Conv2d conv(options, 0, std::nullopt);
    for (const c10::ScalarType type : {at::kFloat, at::kBFloat16}) {
      if (type == at::kBFloat16 && device().is_cpu()) continue;
      const auto values = [&](double phase, std::vector<std::int64_t> shape) {
        std::int64_t count = 1;
        for (const std::int64_t extent : shape) count *= extent;
        return at::sin(at::arange(count, at::kDouble).square() * phase)
            .view(shape)
            .to(device(), type)
            .contiguous(at::MemoryFormat::ChannelsLast);
      };
      const TensorTable weights = {values(0.7, {channels, channels, 3, 3})};
      const ForwardContext context(weights);
      const at::Tensor x = values(0.3, {2, channels, 9, 7});
      const at::Tensor bias = values(1.1, {1, channels, 1, 1}).view({-1});
      for (const at::Tensor& residual : {at::Tensor(), values(0.9, {2, channels, 9, 7})}) {
        for (const at::Tensor& shift : {bias, bias.to(at::kFloat)}) {
          at::Tensor expected = at::conv2d(x.cpu().to(at::kFloat), weights[0].cpu().to(at::kFloat),
                                           shift.cpu().to(at::kFloat), 1, 1);
          if (residual.defined()) expected += residual.cpu().to(at::kFloat);
          at::full_like(x, std::numeric_limits<double>::quiet_NaN());  // freed, and given out again
          const at::Tensor y = conv.with_finish(x, {shift, residual, true}, context);
          EXPECT_LT(distance(expected.relu(), y), 4e-3);  // bfloat16; TF32 on a GPU
        }
        at::Tensor without = x.clone();
        without[0][1][4][3] = std::numeric_limits<float>::quiet_NaN();
        const at::Tensor y = conv.with_finish(without, {bias, residual, true}, context);
        EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), 9 * channels);
      }
    }
  }
}

TEST(DeviceGraph, ReplaysWhatWasCaptured) {
  DeviceGraph graph{c10::Device(c10::DeviceType::CPU)};
  int runs = 0;
  graph.run([&] { ++runs; });
  EXPECT_FALSE(graph.captured());
  graph.capture([&] { ++runs; });
  EXPECT_TRUE(graph.captured());
  graph.replay();
  graph.replay();
  EXPECT_EQ(runs, 3);
}

INSTANTIATE_TEST_SUITE_P(Devices, Fused,
                         testing::Values(c10::DeviceType::CPU, c10::DeviceType::CUDA),
                         [](const auto& device) {
                           return device.param == c10::DeviceType::CPU ? "Cpu" : "Cuda";
                         });

}  // namespace
}  // namespace cubcal
