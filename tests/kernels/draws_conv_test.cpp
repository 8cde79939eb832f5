#include "cubcal_nn/kernels/draws_conv.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gtest/gtest.h>

#include <limits>
#include <ostream>
#include <string>

#include "cubcal/core/error.h"

namespace cubcal {
namespace {

constexpr std::int64_t kDraws = 3;

struct DrawsCase {
  std::string name;
  std::int64_t in, out, height, width, images;
  PatchOptions options;
};

void PrintTo(const DrawsCase& each, std::ostream* out) { *out << each.name; }

const DrawsCase kDrawsCases[] = {
    {"a_pixel", 8, 8, 1, 1, 1, {1}},
    {"few_of_everything", 8, 8, 5, 3, 1, {3, 1, 1}},
    {"channels_run_into_taps", 40, 24, 9, 7, 2, {3, 1, 1}},
    {"a_step_of_channels_per_tap", 64, 64, 8, 8, 2, {3, 1, 1}},
    {"two_steps_of_channels_per_tap", 128, 136, 7, 7, 1, {3, 1, 1}},
    {"one_by_one", 192, 72, 14, 14, 2, {1}},
    {"every_other_pixel", 64, 128, 13, 11, 2, {1, 2}},
    {"every_other_patch", 72, 200, 15, 9, 2, {3, 2, 1}},
    {"five_by_five", 16, 40, 9, 12, 1, {5, 1, 2}},
    {"five_by_five_of_a_step", 64, 16, 6, 6, 1, {5, 2, 2}},
    {"no_padding", 64, 64, 6, 9, 1, {3}},
    {"pixels_far_apart", 192, 136, 6, 40, 2, {3, 1, 1}},
    {"five_by_five_of_two_steps", 128, 64, 9, 5, 3, {5, 1, 2}},
    {"more_padding_than_image", 8, 16, 2, 2, 1, {5, 1, 4}},
    {"many_rows_few_outputs", 64, 56, 40, 33, 1, {3, 1, 1}},
    {"many_rows_and_outputs_of_three_by_three", 128, 136, 28, 28, 1, {3, 1, 1}},
    {"many_rows_and_outputs", 32, 320, 40, 33, 1, {1}},
    {"as_a_stem_of_patches", 152, 64, 30, 30, 1, {1}},
};

class DrawsConv : public testing::TestWithParam<DrawsCase> {
 protected:
  void SetUp() override {
    if (!at::globalContext().hasCUDA() || !draws_conv_takes(images(8, 1), weights(8, 8), {1})) {
      GTEST_SKIP() << "no CUDA device with matrix units for bfloat16, or no CUDA kernels";
    }
  }

  /// Values without a pattern, that bfloat16 holds.
  static at::Tensor values(std::int64_t count, double phase) {
    return at::sin(at::arange(count, at::kDouble).square() * phase)
        .to(at::TensorOptions(at::kCUDA).dtype(at::kBFloat16));
  }
  static at::Tensor images(std::int64_t channels, std::int64_t count, std::int64_t height = 1,
                           std::int64_t width = 1) {
    return values(count * channels * height * width, 0.37)
        .view({count, channels, height, width})
        .contiguous(at::MemoryFormat::ChannelsLast);
  }
  /// As in a buffer of draws, where other parameters lie between the weights of two draws.
  static at::Tensor weights(std::int64_t in, std::int64_t out, std::int64_t kernel = 1) {
    const std::int64_t size = out * kernel * kernel * in;
    return values(kDraws * (size + 16), 0.61)
        .as_strided({kDraws, out, kernel, kernel, in},
                    {size + 16, kernel * kernel * in, kernel * in, in, 1});
  }
};

double distance_of_draws(const at::Tensor& expected, const at::Tensor& y) {
  const at::Tensor reference = expected.to(at::kDouble);
  return ((reference - y.cpu().to(at::kDouble)).norm() / (reference.norm() + 1e-12)).item<double>();
}

/// In float32 on the CPU, draw by draw.
at::Tensor expected_draws(const at::Tensor& x, const at::Tensor& weight,
                          const PatchOptions& options, bool shared, const ConvFinish& finish) {
  const std::int64_t images = shared ? x.size(0) : x.size(0) / kDraws;
  std::vector<at::Tensor> results;
  for (std::int64_t s = 0; s < kDraws; ++s) {
    const at::Tensor of_draw = shared ? x : x.narrow(0, s * images, images);
    const at::Tensor w = weight[s].permute({0, 3, 1, 2}).to(at::kCPU, at::kFloat);
    at::Tensor y = at::conv2d(of_draw.to(at::kCPU, at::kFloat), w, {}, options.stride,
                              options.padding, options.dilation);
    if (finish.bias.defined()) {
      const at::Tensor bias = finish.bias.dim() == 2 ? finish.bias[s] : finish.bias;
      y = y + bias.to(at::kCPU, at::kFloat).view({1, -1, 1, 1});
    }
    results.push_back(y);
  }
  at::Tensor y = at::cat(results);
  if (finish.residual.defined()) y = y + finish.residual.to(at::kCPU, at::kFloat);
  return finish.relu ? y.relu() : y;
}

TEST_P(DrawsConv, IsTheConvolutionDrawByDraw) {
  const DrawsCase& each = GetParam();
  const at::Tensor weight = weights(each.in, each.out, each.options.kernel);
  for (const bool shared : {true, false}) {
    const at::Tensor x =
        images(each.in, shared ? each.images : kDraws * each.images, each.height, each.width);
    ASSERT_TRUE(draws_conv_takes(x, weight, each.options));
    const at::Tensor plain = draws_conv(x, weight, each.options, shared, {});
    EXPECT_TRUE(plain.is_contiguous(at::MemoryFormat::ChannelsLast));
    const at::Tensor expected = expected_draws(x, weight, each.options, shared, {});
    ASSERT_EQ(plain.sizes(), expected.sizes());
    EXPECT_LT(distance_of_draws(expected, plain), 3e-3)
        << shared;  // a rounding to bfloat16 is 2e-3

    const at::Tensor residual = values(plain.numel(), 0.83)
                                    .view({plain.size(0), plain.size(2), plain.size(3), each.out})
                                    .permute({0, 3, 1, 2});
    const at::Tensor of_draws = values(kDraws * each.out, 0.23).view({kDraws, each.out});
    for (const ConvFinish& finish :
         {ConvFinish{of_draws, {}, false}, ConvFinish{of_draws.to(at::kFloat), {}, true},
          ConvFinish{of_draws[0], residual, true}, ConvFinish{{}, residual, false}}) {
      EXPECT_LT(distance_of_draws(expected_draws(x, weight, each.options, shared, finish),
                                  draws_conv(x, weight, each.options, shared, finish)),
                3e-3)
          << shared << finish.bias.defined() << finish.residual.defined() << finish.relu;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, DrawsConv, testing::ValuesIn(kDrawsCases),
                         [](const auto& each) { return each.param.name; });

class DrawsConvRefuses : public DrawsConv {};

TEST_P(DrawsConvRefuses, WhatItCannotRead) {
  const at::Tensor weight = weights(8, 8);
  EXPECT_FALSE(draws_conv_takes(images(8, 1).to(at::kFloat), weight, {1}));
  EXPECT_FALSE(draws_conv_takes(images(8, 1), weight.to(at::kFloat), {1}));
  EXPECT_FALSE(draws_conv_takes(images(12, 1), weights(12, 8), {1}));
  EXPECT_FALSE(draws_conv_takes(images(8, 1), weights(8, 12), {1}));
  EXPECT_FALSE(draws_conv_takes(images(8, 1, 7, 7), weights(8, 8, 7), {7, 1, 3}));
  EXPECT_FALSE(draws_conv_takes(images(8, 1, 7, 7), weights(8, 8, 3), {3, 1, 2, 2}));
  const at::Tensor residual = images(8, kDraws);
  EXPECT_THROW(draws_conv(images(8, 1), weight, {1}, true, {{}, residual.to(at::kFloat), false}),
               ArgumentError);
  EXPECT_THROW(draws_conv(images(8, 1), weight, {1}, true, {{}, residual[0], false}),
               ArgumentError);
}

TEST_P(DrawsConvRefuses, ToHideANaN) {
  at::Tensor x = images(8, 1, 4, 4);
  x[0][0][1][1] = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor y = draws_conv(x, weights(8, 8), {1}, true, {{}, {}, true});
  EXPECT_TRUE(y.isnan().select(2, 1).select(2, 1).all().item<bool>());
  EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), kDraws * 8);
}

INSTANTIATE_TEST_SUITE_P(Any, DrawsConvRefuses, testing::Values(kDrawsCases[0]));

TEST(DrawsConvOnACpu, IsNotThere) {
  EXPECT_FALSE(draws_conv_takes(at::zeros({1, 8, 1, 1}, at::kBFloat16),
                                at::zeros({kDraws, 8, 1, 1, 8}, at::kBFloat16), {1}));
}

TEST(FusedMaxPool, IsThatOfLibTorch) {
  for (const c10::DeviceType type : {c10::DeviceType::CPU, c10::DeviceType::CUDA}) {
    if (type == c10::DeviceType::CUDA &&
        !(at::globalContext().hasCUDA() && has_fused_kernels(c10::Device(type)))) {
      continue;
    }
    for (const PatchOptions& window : {PatchOptions{2, 2}, PatchOptions{3, 2, 1}}) {
      for (const std::int64_t channels : {16, 5}) {
        for (const at::ScalarType number : {at::kFloat, at::kBFloat16}) {
          at::Tensor x = at::sin(at::arange(2 * channels * 9 * 12, at::kDouble).square())
                             .view({2, channels, 9, 12})
                             .to(at::TensorOptions(c10::Device(type)).dtype(number));
          x = (x - 2).contiguous(at::MemoryFormat::ChannelsLast);  // zeros of a padding would show
          x[1][2][3][4] = std::numeric_limits<float>::quiet_NaN();
          const at::Tensor y = fused_max_pool(x, window).cpu().to(at::kFloat);
          const at::Tensor expected =
              at::max_pool2d(x.cpu().to(at::kFloat), window.kernel, window.stride, window.padding);
          EXPECT_TRUE(at::equal(at::nan_to_num(y, 7), at::nan_to_num(expected, 7)));
        }
      }
    }
  }
}

}  // namespace
}  // namespace cubcal
