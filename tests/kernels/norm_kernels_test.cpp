#include "cubcal_nn/kernels/norm_kernels.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <gtest/gtest.h>

namespace cubcal {
namespace {

constexpr double kEpsilon = 1e-5;

struct NormCase {
  at::Tensor x, residual, gradient;
  NormPlace norm;
};

/// Values that differ from call to call only by the shape; their means lie far from 0.
NormCase case_of(std::int64_t images, std::int64_t channels, std::int64_t side,
                 const at::TensorOptions& options) {
  const std::int64_t count = images * channels * side * side;
  const auto wave = [&](double step, double shift) {
    return (at::sin(at::arange(count, at::kDouble) * step) + shift)
        .view({images, channels, side, side})
        .to(options.dtype())
        .to(options.device())
        .contiguous(at::MemoryFormat::ChannelsLast);
  };
  const auto numbers = options.dtype(options.dtype() == at::kDouble ? at::kDouble : at::kFloat);
  NormCase made{wave(0.37, 3.0), wave(0.11, 0.1), wave(0.71, 0.05), {}};
  made.norm = {at::cos(at::arange(channels, numbers)) + 1.5, at::sin(at::arange(channels, numbers)),
               at::zeros({channels}, numbers), at::zeros({channels}, numbers)};
  return made;
}

double farthest(const at::Tensor& a, const at::Tensor& b) {
  return (a.cpu().to(at::kDouble) - b.cpu().to(at::kDouble)).abs().max().item<double>();
}

TEST(NormKernels, AreBatchNormAndItsGradients) {
  const NormCase of = case_of(3, 5, 4, at::TensorOptions().dtype(at::kDouble));
  for (const bool with_residual : {false, true}) {
    const at::Tensor x = of.x.clone().set_requires_grad(true);
    const at::Tensor residual = of.residual.clone().set_requires_grad(true);
    const at::Tensor weight = of.norm.weight.clone().set_requires_grad(true);
    const at::Tensor bias = of.norm.bias.clone().set_requires_grad(true);
    const at::Tensor mean = at::zeros({5}, at::kDouble), variance = at::zeros({5}, at::kDouble);
    at::Tensor plain = at::batch_norm(x, weight, bias, mean, variance, true, 1.0, kEpsilon, false);
    if (with_residual) plain = plain + residual;
    plain = plain.relu();
    plain.backward(of.gradient);

    const at::Tensor beside = with_residual ? of.residual : at::Tensor();
    const NormMoments moments = norm_moments(of.x, of.norm, kEpsilon);
    const at::Tensor y = norm_apply(of.x, moments, of.norm, beside, /*relu=*/true);
    EXPECT_LT(farthest(y, plain.detach()), 1e-12);
    EXPECT_LT(farthest(of.norm.batch_mean, mean), 1e-12);
    EXPECT_LT(farthest(of.norm.batch_variance, variance), 1e-12);
    NormBackOptions options;
    options.gate = with_residual ? NormGate::kResult : NormGate::kOwnRelu;
    if (with_residual) options.result = y;
    options.of_residual = with_residual;
    const NormGradients back = norm_backward(of.gradient, of.x, moments, of.norm, options);
    EXPECT_LT(farthest(back.x, x.grad()), 1e-11);
    EXPECT_LT(farthest(back.weight, weight.grad()), 1e-11);
    EXPECT_LT(farthest(back.bias, bias.grad()), 1e-11);
    EXPECT_EQ(back.residual.defined(), with_residual);
    if (with_residual) {
      EXPECT_LT(farthest(back.residual, residual.grad()), 1e-12);
    }
  }
}

TEST(NormKernels, WithoutReluEveryGradientPasses) {
  const NormCase of = case_of(2, 3, 3, at::TensorOptions().dtype(at::kDouble));
  const NormMoments moments = norm_moments(of.x, of.norm, kEpsilon);
  const NormGradients back = norm_backward(of.gradient, of.x, moments, of.norm, {});
  EXPECT_LT(farthest(back.bias, of.gradient.sum({0, 2, 3})), 1e-12);
  EXPECT_FALSE(back.residual.defined());
  // A gradient through a batch norm has mean 0 and is at right angles to the images.
  EXPECT_LT(farthest(back.x.sum({0, 2, 3}), at::zeros({3})), 1e-11);
  EXPECT_LT(farthest((back.x * of.x).sum({0, 2, 3}), at::zeros({3})), 1e-3);
}

/// Shapes that take each path of the kernels: one block or many for the sums, packs of channels or
/// single ones, more channels than a block is wide.
class NormKernelsOnCuda : public testing::TestWithParam<std::array<std::int64_t, 3>> {};

TEST_P(NormKernelsOnCuda, AgreeWithTheCpu) {
  if (!at::globalContext().hasCUDA()) GTEST_SKIP() << "no CUDA device";
  const auto [images, channels, side] = GetParam();
  for (const c10::ScalarType type : {at::kFloat, at::kBFloat16}) {
    const NormCase cpu = case_of(images, channels, side, at::TensorOptions().dtype(type));
    const NormCase cuda =
        case_of(images, channels, side, at::TensorOptions().dtype(type).device(at::kCUDA));
    const double near = type == at::kFloat ? 2e-4 : 4e-2;
    const NormMoments a = norm_moments(cpu.x, cpu.norm, kEpsilon);
    const NormMoments b = norm_moments(cuda.x, cuda.norm, kEpsilon);
    EXPECT_LT(farthest(a.mean, b.mean), 1e-5);
    EXPECT_LT(farthest(a.scale / b.scale.cpu(), at::ones({channels})), 1e-4);
    EXPECT_LT(farthest(cpu.norm.batch_mean, cuda.norm.batch_mean), 1e-5);
    EXPECT_LT(farthest(cpu.norm.batch_variance, cuda.norm.batch_variance), 1e-4);
    for (const NormGate gate : {NormGate::kOpen, NormGate::kOwnRelu, NormGate::kResult}) {
      const bool with_residual = gate == NormGate::kResult;
      const auto result = [&](const NormCase& of, const NormMoments& moments) {
        return norm_apply(of.x, moments, of.norm, with_residual ? of.residual : at::Tensor(),
                          gate != NormGate::kOpen);
      };
      const at::Tensor y = result(cpu, a), z = result(cuda, b);
      EXPECT_LT(farthest(y, z), near);
      // The same gates on both sides: a value next to 0 may fall on either.
      const NormGradients c = norm_backward(cpu.gradient, cpu.x, a, cpu.norm,
                                            {gate, with_residual ? z.cpu() : z, with_residual});
      const NormGradients d =
          norm_backward(cuda.gradient, cuda.x, b, cuda.norm, {gate, z, with_residual});
      EXPECT_LT(farthest(c.x, d.x), near * 2);
      const double total = static_cast<double>(images * side * side);
      EXPECT_LT(farthest(c.weight, d.weight), 1e-4 * total + 1e-2);
      EXPECT_LT(farthest(c.bias, d.bias), 1e-4 * total + 1e-2);
      if (with_residual) {
        EXPECT_LT(farthest(c.residual, d.residual), 1e-6);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, NormKernelsOnCuda,
                         testing::Values(std::array<std::int64_t, 3>{2, 3, 5},
                                         std::array<std::int64_t, 3>{4, 64, 56},
                                         std::array<std::int64_t, 3>{16, 512, 7},
                                         std::array<std::int64_t, 3>{5, 24, 33},
                                         std::array<std::int64_t, 3>{9, 2048, 7},
                                         std::array<std::int64_t, 3>{3, 257, 40}));

}  // namespace
}  // namespace cubcal
