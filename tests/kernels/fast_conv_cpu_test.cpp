#include "cubcal_nn/kernels/fast_conv_cpu.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <gtest/gtest.h>

#include <vector>

#include "cubcal/core/error.h"
#include "cubcal_nn/kernels/noise.h"

namespace cubcal {
namespace {

at::Tensor values(std::vector<std::int64_t> shape, std::uint64_t seed) {
  at::Tensor out = at::empty(shape);
  normal_noise(out, {seed, 1, 0});
  return out;
}

struct Case {
  std::int64_t images, in, out, kernel, stride, padding, height, width;
  bool winograd;
};

std::ostream& operator<<(std::ostream& stream, const Case& c) {
  return stream << c.images << " images, " << c.in << " to " << c.out << " channels, kernel "
                << c.kernel << ", stride " << c.stride << ", padding " << c.padding << ", "
                << c.height << " x " << c.width << (c.winograd ? ", Winograd" : "");
}

FastConvOptions options_of(const Case& c) {
  FastConvOptions options;
  options.stride = c.stride;
  options.padding = c.padding;
  options.winograd = c.winograd;
  return options;
}

at::Tensor exact_conv(const at::Tensor& x, const at::Tensor& weight, const Case& c) {
  return at::conv2d(x.to(at::kDouble), weight.to(at::kDouble), {}, c.stride, c.padding);
}

double relative_distance(const at::Tensor& a, const at::Tensor& exact) {
  return ((a - exact).abs().max() / exact.abs().max()).item<double>();
}

class FastConv : public ::testing::TestWithParam<Case> {};

TEST_P(FastConv, IsTheConvolutionWithWhatFollowsIt) {
  const Case& c = GetParam();
  const at::Tensor x = values({c.images, c.in, c.height, c.width}, 1);
  const at::Tensor weight = values({c.out, c.in, c.kernel, c.kernel}, 2);
  const at::Tensor bias = values({c.out}, 3);
  const at::Tensor plain = exact_conv(x, weight, c);
  const at::Tensor result = fast_conv2d(x, weight, {}, options_of(c));
  EXPECT_EQ(result.sizes(), plain.sizes());
  EXPECT_LT(relative_distance(result, plain), 2e-6);

  FastConvFinish finish{values({c.out}, 4), bias, values(plain.sizes().vec(), 5), true};
  const auto per_channel = [](const at::Tensor& tensor) { return tensor.view({1, -1, 1, 1}); };
  const at::Tensor finished =
      at::relu(plain * per_channel(finish.scale) + per_channel(bias) + finish.residual);
  EXPECT_LT(relative_distance(fast_conv2d(x, weight, finish, options_of(c)), finished), 2e-6);
}

TEST_P(FastConv, DoesNotDependOnThreadsOrBatch) {
  const Case& c = GetParam();
  const at::Tensor x = values({c.images, c.in, c.height, c.width}, 1);
  const at::Tensor weight = values({c.out, c.in, c.kernel, c.kernel}, 2);
  const int before = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor one = fast_conv2d(x, weight, {}, options_of(c));
  at::set_num_threads(3);
  const at::Tensor three = fast_conv2d(x, weight, {}, options_of(c));
  at::set_num_threads(before);
  EXPECT_TRUE(at::equal(one, three));
  const at::Tensor last = fast_conv2d(x.narrow(0, c.images - 1, 1), weight, {}, options_of(c));
  EXPECT_TRUE(at::equal(last, one.narrow(0, c.images - 1, 1)));
}

TEST_P(FastConv, HasTheGradientsOfTheConvolution) {
  const Case& c = GetParam();
  const at::Tensor x = values({c.images, c.in, c.height, c.width}, 1).requires_grad_();
  const at::Tensor weight = values({c.out, c.in, c.kernel, c.kernel}, 2).requires_grad_();
  const at::Tensor bias = values({c.out}, 3).requires_grad_();
  const at::Tensor y = fast_conv2d_training(x, weight, bias, options_of(c));
  const at::Tensor direction = values(y.sizes().vec(), 4);
  (y * direction).sum().backward();

  const at::Tensor exact_x = x.detach().to(at::kDouble).requires_grad_();
  const at::Tensor exact_weight = weight.detach().to(at::kDouble).requires_grad_();
  const at::Tensor exact = at::conv2d(exact_x, exact_weight, {}, c.stride, c.padding);
  (exact * direction).sum().backward();
  EXPECT_LT(relative_distance(x.grad(), exact_x.grad()), 2e-6);
  EXPECT_LT(relative_distance(weight.grad(), exact_weight.grad()), 5e-6);
  EXPECT_LT(relative_distance(bias.grad(), direction.to(at::kDouble).sum({0, 2, 3})), 5e-6);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, FastConv,
    ::testing::Values(Case{2, 3, 16, 7, 2, 3, 32, 32, false},  // the stem of a ResNet
                      Case{5, 8, 8, 3, 1, 1, 8, 8, false},     //
                      Case{5, 8, 8, 3, 1, 1, 8, 8, true},      //
                      Case{3, 70, 9, 3, 1, 1, 4, 6, false},    // two blocks of the sum
                      Case{3, 300, 9, 3, 1, 1, 4, 6, true},    //
                      Case{1, 5, 13, 3, 1, 0, 7, 9, false},    // odd sizes, odd rows
                      Case{1, 5, 13, 3, 1, 0, 7, 9, true},     //
                      Case{3, 4, 6, 3, 1, 2, 5, 5, true},      //
                      Case{4, 6, 10, 3, 2, 1, 9, 8, false},    // places no stride reaches
                      Case{3, 12, 7, 1, 2, 0, 8, 8, false},    // a shortcut
                      Case{2, 16, 24, 1, 1, 0, 5, 5, false},   //
                      Case{2, 4, 5, 2, 3, 1, 11, 10, false},   // a stride beyond the kernel
                      Case{70, 9, 3, 3, 1, 1, 2, 2, false},    // more images than a panel
                      Case{70, 9, 3, 3, 1, 1, 2, 2, true}));

TEST(FastConvChecks, RefusesWhatItCannotDo) {
  const at::Tensor x = values({1, 4, 5, 5}, 1);
  const at::Tensor weight = values({2, 4, 3, 3}, 2);
  EXPECT_TRUE(fast_conv_takes(x, weight, 1, 1));
  EXPECT_FALSE(fast_conv_takes(x, weight, 2, 1));
  EXPECT_FALSE(fast_conv_takes(x, weight, 1, 2));
  EXPECT_FALSE(fast_conv_takes(x.to(at::kDouble), weight.to(at::kDouble), 1, 1));
  EXPECT_THROW(fast_conv2d(x, values({2, 3, 3, 3}, 2), {}, {}), ArgumentError);
  EXPECT_THROW(fast_conv2d(x, values({2, 4, 7, 7}, 2), {}, {}), ArgumentError);
  EXPECT_THROW(fast_conv2d(x, weight, {{}, values({3}, 3)}, {}), ArgumentError);
  EXPECT_THROW(fast_conv2d(x, weight, {values({3}, 3)}, {}), ArgumentError);
  EXPECT_THROW(fast_conv2d(x, weight, {{}, {}, x}, {}), ArgumentError);
}

TEST(FastConvChecks, TakesTensorsInAnyLayout) {
  const at::Tensor x = values({3, 6, 5, 4}, 1);
  const at::Tensor weight = values({8, 6, 3, 3}, 2);
  const at::Tensor expected = fast_conv2d(x, weight, {}, {});
  const auto last = at::MemoryFormat::ChannelsLast;
  EXPECT_TRUE(
      at::equal(fast_conv2d(x.contiguous(last), weight.contiguous(last), {}, {}), expected));
}

}  // namespace
}  // namespace cubcal
