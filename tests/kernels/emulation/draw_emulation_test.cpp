#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ostream>
#include <random>
#include <vector>

#include "cubcal_nn/kernels/fused_draw.cuh"
#include "kernels/emulation/device_tensor.h"

namespace cubcal::device {
namespace {

constexpr int kPasses = 5;
constexpr int kSlices = 2;

/// One parameter, `offset` numbers into the flat buffer.
struct Parameter {
  std::int64_t offset;
  std::int32_t rows, channels, area;
  bool folded, gaussian;
};
void PrintTo(const Parameter& p, std::ostream* out) {
  *out << p.rows << " rows of " << p.channels << " channels by " << p.area << " at " << p.offset
       << (p.folded ? ", folded" : "") << (p.gaussian ? "" : ", points");
}

std::vector<FusedTile> tiles_of(const FusedSegment& segment) {
  std::vector<FusedTile> tiles;
  for (std::int64_t done = 0; done < segment.size; done += tiles.back().count) {
    tiles.push_back(
        {segment.offset + done, static_cast<std::int32_t>(tile_size(segment, done)), 0});
  }
  return tiles;
}

class DrawSource : public testing::TestWithParam<Parameter> {
 protected:
  /// Every thread of every block by itself: none reads what another has written.
  template <class Out>
  static void run(const DrawJob<Out>& job, std::size_t tiles) {
    gridDim = {static_cast<unsigned>(tiles), kSlices};
    blockDim = {kDrawThreads, 1};
    for (blockIdx.y = 0; blockIdx.y < gridDim.y; ++blockIdx.y) {
      for (blockIdx.x = 0; blockIdx.x < gridDim.x; ++blockIdx.x) {
        for (threadIdx.x = 0; threadIdx.x < blockDim.x; ++threadIdx.x) draw_tiles<Out>(job);
      }
    }
  }

  template <class Out>
  static void expect_the_draws(const Parameter& p, double tolerance) {
    constexpr std::int64_t place = kDrawAlignment;
    constexpr float untouched = -1000;
    std::mt19937 random(3);
    const std::int32_t row = p.channels * p.area;
    const FusedSegment segment{p.offset, std::int64_t{p.rows} * row, place, p.folded ? 0 : -1, row,
                               p.area};
    const std::vector<FusedTile> tiles = tiles_of(segment);
    const std::int64_t size = segment.offset + segment.size + 3;
    const std::int64_t draw_size =
        place + (segment.size / kDrawAlignment + 2) * kDrawAlignment;  // aligned as all draws
    const DeviceTensor<float> means(size, random), deviations(size, random);
    const DeviceTensor<float> scale(p.rows, random), shift(p.rows, random);
    std::vector<uint4> words(kPasses);
    for (uint4& each : words) {
      each = {static_cast<unsigned>(random()), static_cast<unsigned>(random()),
              static_cast<unsigned>(random()), static_cast<unsigned>(random())};
    }
    const DeviceTensor<Out> drawn(kPasses * draw_size, random);
    Out* out = drawn.data();
    for (std::int64_t i = 0; i < kPasses * draw_size; ++i) store(out + i, untouched);
    const auto* given = reinterpret_cast<const std::uint32_t*>(words.data());
    run<Out>({&segment, tiles.data(), means.data(), p.gaussian ? deviations.data() : nullptr,
              p.gaussian ? given : nullptr, p.folded ? scale.data() : nullptr,
              p.folded ? shift.data() : nullptr, out, size, draw_size, kPasses},
             tiles.size());
    double largest = 0;
    for (int pass = 0; pass < kPasses; ++pass) {
      const Out* of_pass = out + pass * draw_size;
      for (std::int64_t i = 0; i < segment.size; ++i) {
        float noise[4];
        normal_four(given + 4 * pass, (p.offset + i) / 4, noise);
        const RowPlace where = row_place(segment, static_cast<std::int32_t>(i));
        double expected = means[p.offset + i];
        if (p.gaussian) {
          expected += static_cast<double>(deviations[p.offset + i]) * noise[(p.offset + i) % 4];
        }
        if (p.folded) {
          expected = expected * scale[where.row] + shift[where.row];
        }
        const double got = load(of_pass + place + channels_last(segment, where));
        largest = std::max(largest, std::abs(got - expected) / (1 + std::abs(expected)));
      }
      for (std::int64_t i = 0; i < draw_size; ++i) {
        if (i >= place && i < place + segment.size) continue;
        ASSERT_EQ(load(of_pass + i), untouched) << "element " << i << " of pass " << pass;
      }
    }
    EXPECT_LT(largest, tolerance);
  }
};

TEST_P(DrawSource, DrawsEveryWeightAndNothingElse) {
  expect_the_draws<float>(GetParam(), 2e-6);
  expect_the_draws<Bf16>(GetParam(), 1.0 / 256);
}

INSTANTIATE_TEST_SUITE_P(
    Shapes, DrawSource,
    testing::Values(Parameter{0, 20, 64, 9, true, true},       // 3x3, whole tiles and a part of one
                    Parameter{4, 8, 512, 9, false, true},      // a tile a row
                    Parameter{8, 3, 700, 9, true, true},       // rows longer than a tile
                    Parameter{16, 12, 6, 9, true, true},       // channels no multiple of four
                    Parameter{6, 40, 64, 9, true, true},       // not at a multiple of four
                    Parameter{12, 100, 150, 1, true, true},    // 1x1, full tiles and a part
                    Parameter{0, 96, 48, 1, true, true},       // one full tile
                    Parameter{2, 500, 30, 1, true, true},      // at a multiple of two
                    Parameter{2, 1, 6, 1, false, true},        // within a tile, both ends shared
                    Parameter{7, 33, 150, 1, true, true},      // at an odd place
                    Parameter{4, 1, 5, 1, false, true},        // a bias
                    Parameter{4, 64, 3, 49, true, true},       // 7x7
                    Parameter{0, 20, 64, 9, true, false},      // points
                    Parameter{2, 500, 30, 1, false, false}));  // points at a multiple of two

}  // namespace
}  // namespace cubcal::device
