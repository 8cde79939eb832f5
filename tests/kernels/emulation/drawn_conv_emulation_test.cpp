#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "../../../benchmarks/drawn_conv.cuh"
#include "kernels/emulation/device_block.h"
#include "kernels/emulation/device_tensor.h"

namespace cubcal::device {
namespace {

constexpr int kPasses = 3;

struct PlainNoise {
  static void four(const std::uint32_t* words, std::int64_t block, float (&values)[4]) {
    normal_four(words, block, values);
  }
};

/// One image through one layer, with draws that do not fill their last block.
template <class Tile>
void expect_convolution_of_drawn_weights(int channels, int outputs, bool residual) {
  std::mt19937 random(3);
  const int side = Tile::kSide * Tile::kStride;
  const int depth = channels * Tile::kTaps;
  constexpr std::int64_t offset = 8;
  const std::int64_t pixels = std::int64_t{side} * side * channels;
  const std::int64_t results = std::int64_t{Tile::kRows} * outputs;
  const DeviceTensor<Bf16> x(kPasses * pixels, random);
  const DeviceTensor<float> mean(std::int64_t{outputs} * depth, random);
  const DeviceTensor<float> deviation(std::int64_t{outputs} * depth, random);
  const DeviceTensor<float> bias(std::int64_t{kPasses} * outputs, random);
  const DeviceTensor<Bf16> added(kPasses * results, random);
  const DeviceTensor<Bf16> y(kPasses * results, random);
  std::vector<uint4> words(kPasses);
  for (uint4& each : words) {
    for (unsigned* word : {&each.x, &each.y, &each.z, &each.w}) {
      *word = static_cast<unsigned>(random());
    }
  }
  const DrawnConvJob<float> job{x.data(),
                                mean.data(),
                                deviation.data(),
                                offset,
                                reinterpret_cast<const std::uint32_t*>(words.data()),
                                bias.data(),
                                residual ? added.data() : nullptr,
                                y.data(),
                                pixels,
                                outputs,
                                side,
                                side,
                                channels,
                                outputs,
                                kPasses,
                                true};
  const DeviceMemory tensors = {x.bounds(), mean.bounds(), deviation.bounds(), added.bounds()};
  EXPECT_EQ("", run_blocks({outputs / Tile::kOutputs, (kPasses + Tile::kDraws - 1) / Tile::kDraws,
                            Tile::kThreads, Tile::kSharedBytes},
                           tensors, [&] { drawn_conv<Tile, PlainNoise, float>(job); }));
  int wrong = 0;
  std::vector<float> weight(static_cast<std::size_t>(depth));
  for (int draw = 0; draw < kPasses; ++draw) {
    for (int output = 0; output < outputs; ++output) {
      for (int i = 0; i < depth; ++i) {
        const std::int64_t element = std::int64_t{output} * depth + i;
        float noise[4];
        normal_four(&words[static_cast<std::size_t>(draw)].x, (offset + element) / 4, noise);
        weight[static_cast<std::size_t>(i)] = __bfloat162float(__float2bfloat16(
            std::fmaf(deviation[element], noise[(offset + element) % 4], mean[element])));
      }
      for (int row = 0; row < Tile::kRows; ++row) {
        double sum = bias[std::int64_t{draw} * outputs + output];
        for (int tap = 0; tap < Tile::kTaps; ++tap) {
          const int line = row / Tile::kSide * Tile::kStride + tap / Tile::kKernel - Tile::kPadding;
          const int column =
              row % Tile::kSide * Tile::kStride + tap % Tile::kKernel - Tile::kPadding;
          if (line < 0 || line >= side || column < 0 || column >= side) continue;
          for (int c = 0; c < channels; ++c) {
            sum += double{x[draw * pixels + (std::int64_t{line} * side + column) * channels + c]} *
                   double{weight[static_cast<std::size_t>(c * Tile::kTaps + tap)]};
          }
        }
        const std::int64_t place = draw * results + std::int64_t{row} * outputs + output;
        const double wanted = std::fmax(0.0, sum + (residual ? double{added[place]} : 0.0));
        if (!(std::fabs(double{y[place]} - wanted) <= 0.004 * wanted + 0.003)) ++wrong;
      }
    }
  }
  EXPECT_EQ(wrong, 0) << "of " << kPasses * results;
}

TEST(DrawnConvSource, IsTheConvolutionOfDrawnWeights) {
  expect_convolution_of_drawn_weights<DrawnConvTile<3, 7, 1, 1, 2, 1>>(32, 32, true);
  expect_convolution_of_drawn_weights<DrawnConvTile<3, 7, 2, 1, 2, 1>>(32, 16, false);
  expect_convolution_of_drawn_weights<DrawnConvTile<3, 14, 1, 1, 2, 1>>(32, 16, true);
  expect_convolution_of_drawn_weights<DrawnConvTile<1, 7, 1, 2, 2, 1>>(96, 32, true);
  expect_convolution_of_drawn_weights<DrawnConvTile<1, 7, 2, 4, 2, 1>>(128, 16, false);
  expect_convolution_of_drawn_weights<DrawnConvTile<1, 14, 1, 1, 2, 1>>(48, 16, true);
}

}  // namespace
}  // namespace cubcal::device
