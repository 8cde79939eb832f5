#include <gtest/gtest.h>

#include <cmath>
#include <ostream>
#include <random>

#include "cubcal_nn/kernels/draws_conv_tiles.cuh"
#include "kernels/emulation/device_block.h"
#include "kernels/emulation/device_tensor.h"

namespace cubcal::device {
namespace {

constexpr int kDraws = 2;

struct Convolution {
  int kernel, stride, padding, in, out, height, width, images;
  bool shared, residual, bias;
  int shared_bytes = 227 * 1024;  ///< of an H200
};

void PrintTo(const Convolution& c, std::ostream* out) {
  *out << c.kernel << "x" << c.kernel << ", stride " << c.stride << ", padding " << c.padding
       << ", " << c.in << " to " << c.out << " channels, " << c.images << " images of " << c.height
       << " x " << c.width << (c.shared ? ", shared" : "") << (c.residual ? ", residual" : "")
       << (c.bias ? ", bias" : "");
}

class DrawsConvSource : public testing::TestWithParam<Convolution> {
 protected:
  static DrawsConvShape shape_of(const Convolution& c) {
    const int height = (c.height + 2 * c.padding - c.kernel) / c.stride + 1;
    const int width = (c.width + 2 * c.padding - c.kernel) / c.stride + 1;
    return {c.height,
            c.width,
            c.in,
            c.kernel,
            c.stride,
            c.padding,
            height,
            width,
            c.images * height * width,
            c.out,
            c.kernel * c.kernel * c.in};
  }

  template <class Tile, class Kernel>
  static std::string run(const DrawsConvShape& shape, const DeviceMemory& memory, int shared_bytes,
                         const Kernel& kernel) {
    return run_blocks({tiles_of<Tile>(shape), kDraws, Tile::kThreads, shared_bytes}, memory,
                      kernel);
  }

  static float expected(const DrawsConvJob<float>& job, const DeviceTensor<Bf16>& x,
                        const DeviceTensor<Bf16>& weight, const DeviceTensor<Bf16>& residual,
                        int draw, int row, int output) {
    const DrawsConvShape& s = job.shape;
    const int positions = s.out_height * s.out_width;
    const int top = row % positions / s.out_width * s.stride - s.padding;
    const int left = row % s.out_width * s.stride - s.padding;
    float sum = job.bias == nullptr ? 0 : job.bias[draw * job.bias_stride + output];
    for (int tap = 0; tap < s.kernel * s.kernel; ++tap) {
      const int y = top + tap / s.kernel;
      const int column = left + tap % s.kernel;
      if (y < 0 || y >= s.height || column < 0 || column >= s.width) continue;
      const std::int64_t pixel = (std::int64_t{row / positions} * s.height + y) * s.width + column;
      for (int c = 0; c < s.channels; ++c) {
        sum += x[draw * job.x_stride + pixel * s.channels + c] *
               weight[draw * job.weight_stride + std::int64_t{output} * s.depth + tap * s.channels +
                      c];
      }
    }
    const std::int64_t place = (std::int64_t{draw} * s.rows + row) * s.outputs + output;
    return std::fmax(0.0F, sum + (job.residual == nullptr ? 0 : residual[place]));
  }
};

TEST_P(DrawsConvSource, IsTheConvolution) {
  const Convolution& c = GetParam();
  const DrawsConvShape shape = shape_of(c);
  std::mt19937 random(7);
  const std::int64_t pixels = std::int64_t{c.images} * c.height * c.width;
  const DeviceTensor<Bf16> x((c.shared ? 1 : kDraws) * pixels * c.in, random);
  const DeviceTensor<Bf16> weight(std::int64_t{kDraws} * c.out * shape.depth, random);
  const DeviceTensor<Bf16> residual(std::int64_t{kDraws} * shape.rows * c.out, random);
  const DeviceTensor<Bf16> y(std::int64_t{kDraws} * shape.rows * c.out, random);
  std::vector<float> bias(static_cast<std::size_t>(kDraws * c.out));
  for (float& value : bias) value = std::uniform_real_distribution<float>(-1, 1)(random);
  const DrawsConvJob<float> job{shape,
                                x.data(),
                                weight.data(),
                                c.bias ? bias.data() : nullptr,
                                c.residual ? residual.data() : nullptr,
                                y.data(),
                                c.shared ? 0 : pixels * c.in,
                                std::int64_t{c.out} * shape.depth,
                                c.out,
                                true};
  const DeviceMemory memory = {x.bounds(), weight.bounds(), residual.bounds()};
  choose_tile(
      shape, c.shared_bytes,
      [&](auto tile) {
        using Tile = decltype(tile);
        EXPECT_EQ("", run<Tile>(shape, memory, Tile::kSharedBytes,
                                [&] { draws_conv<Tile, float>(job); }));
      },
      [&](auto tile) {
        using Tile = decltype(tile);
        EXPECT_LE(SameConvMemory<Tile>(shape).bytes(), c.shared_bytes);
        EXPECT_EQ("", run<Tile>(shape, memory, SameConvMemory<Tile>(shape).bytes(),
                                [&] { draws_conv_same<Tile, float>(job); }));
      });
  int wrong = 0;
  for (int draw = 0; draw < kDraws; ++draw) {
    for (int row = 0; row < shape.rows; ++row) {
      for (int output = 0; output < c.out; ++output) {
        const float wanted = expected(job, x, weight, residual, draw, row, output);
        const float got = y[(std::int64_t{draw} * shape.rows + row) * c.out + output];
        // A rounding to bfloat16, and of the sum before it.
        if (!(std::fabs(got - wanted) <= 0.004F * wanted + 0.002F)) ++wrong;
      }
    }
  }
  EXPECT_EQ(wrong, 0) << "of " << kDraws * shape.rows * c.out;
}

// Each tile, its edges in rows, outputs and depth, more steps than stages, and taps outside images.
INSTANTIATE_TEST_SUITE_P(
    Shapes, DrawsConvSource,
    testing::Values(Convolution{1, 1, 0, 8, 8, 1, 1, 1, true, true, true},
                    Convolution{3, 1, 1, 40, 24, 9, 7, 2, false, true, true},
                    Convolution{3, 2, 1, 72, 72, 23, 19, 2, true, false, true},
                    Convolution{5, 2, 2, 16, 136, 9, 22, 3, false, true, false},
                    Convolution{1, 2, 0, 64, 136, 17, 17, 2, true, true, true},
                    Convolution{5, 1, 4, 8, 16, 2, 2, 3, false, false, true},
                    Convolution{1, 1, 0, 152, 64, 14, 14, 1, true, false, true},
                    Convolution{3, 1, 0, 64, 64, 6, 9, 1, false, true, true},
                    Convolution{3, 1, 1, 64, 64, 9, 13, 3, false, true, true},
                    Convolution{3, 1, 1, 128, 40, 11, 7, 1, true, false, true},
                    Convolution{3, 1, 1, 192, 136, 7, 11, 2, false, true, true},
                    Convolution{5, 1, 2, 128, 72, 9, 9, 1, true, true, false},
                    Convolution{3, 1, 1, 64, 72, 1, 64, 2, false, false, true},
                    Convolution{3, 1, 1, 64, 8, 65, 1, 2, true, true, true},
                    Convolution{3, 1, 1, 64, 64, 3, 65, 1, false, false, true},
                    Convolution{3, 1, 1, 128, 32, 9, 56, 1, false, true, true, 99 * 1024},
                    Convolution{3, 1, 1, 128, 32, 9, 15, 1, false, true, true, 48 * 1024}));

}  // namespace
}  // namespace cubcal::device
