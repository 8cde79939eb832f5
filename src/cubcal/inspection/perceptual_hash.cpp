#include "cubcal/inspection/perceptual_hash.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace cubcal {

namespace {

constexpr std::size_t kSide = kMiniatureSide;
constexpr std::size_t kGrid = 16;
constexpr double kFlat = 2.0;           // levels
constexpr double kSmallestStep = 0.01;  // standard deviations
constexpr double kScale = 32.0;

using Cells = std::array<double, kSide * kSide>;

/// Integrals of a row over kSide equal parts of it, whose ends may lie inside pixels.
std::array<double, kSide> row_integrals(const float* row, std::size_t width,
                                        std::vector<double>& sums) {
  sums.resize(width + 1);
  sums[0] = 0;
  for (std::size_t x = 0; x < width; ++x) sums[x + 1] = sums[x] + static_cast<double>(row[x]);
  const auto up_to = [&](std::size_t part) {
    const std::size_t whole = part * width / kSide;
    const double inside = static_cast<double>(part * width % kSide) / kSide;
    return sums[whole] + (inside > 0 ? inside * static_cast<double>(row[whole]) : 0);
  };
  std::array<double, kSide> integrals;
  for (std::size_t part = 0; part < kSide; ++part) integrals[part] = up_to(part + 1) - up_to(part);
  return integrals;
}

Cells area_means(const GrayPlane& plane) {
  Cells cells{};
  std::vector<double> sums;
  const double height = static_cast<double>(plane.height);
  const double cell_height = height / kSide;
  const double area = cell_height * static_cast<double>(plane.width) / kSide;
  for (std::size_t y = 0; y < plane.height; ++y) {
    const std::array<double, kSide> integrals = row_integrals(plane.row(y), plane.width, sums);
    const double top = static_cast<double>(y);
    for (std::size_t r = y * kSide / plane.height; r < kSide; ++r) {
      const double cell_top = static_cast<double>(r) * cell_height;
      if (cell_top >= top + 1) break;
      const double overlap = std::min(top + 1, cell_top + cell_height) - std::max(top, cell_top);
      if (overlap <= 0) continue;
      for (std::size_t c = 0; c < kSide; ++c) {
        cells[r * kSide + c] += integrals[c] * overlap / area;
      }
    }
  }
  return cells;
}

/// False where the cells are flat.
bool normalise(Cells& cells) {
  double mean = 0;
  for (const double cell : cells) mean += cell / static_cast<double>(cells.size());
  double variance = 0;
  for (const double cell : cells) {
    variance += (cell - mean) * (cell - mean) / static_cast<double>(cells.size());
  }
  const double deviation = std::sqrt(variance);
  if (deviation < kFlat) return false;
  for (double& cell : cells) cell = (cell - mean) / deviation;
  return true;
}

double grid_mean(const Cells& cells, std::size_t row, std::size_t column) {
  const double* corner = &cells[2 * (row * kSide + column)];
  return (corner[0] + corner[1] + corner[kSide] + corner[kSide + 1]) / 4;
}

PerceptualHash hash_of(const Cells& cells) {
  PerceptualHash hash;
  for (std::size_t r = 0; r < kGrid; ++r) {
    for (std::size_t c = 0; c < kGrid; ++c) {
      const bool to_the_right = (r + c) % 2 == 0;
      const double neighbour = to_the_right ? grid_mean(cells, r, (c + 1) % kGrid)
                                            : grid_mean(cells, (r + 1) % kGrid, c);
      if (neighbour - grid_mean(cells, r, c) > kSmallestStep) {
        const std::size_t bit = r * kGrid + c;
        hash.words[bit / 64] |= std::uint64_t{1} << (bit % 64);
      }
    }
  }
  return hash;
}

}  // namespace

std::optional<Appearance> appearance(const GrayPlane& plane) {
  if (plane.levels.empty()) return std::nullopt;
  Cells cells = area_means(plane);
  if (!normalise(cells)) return std::nullopt;
  Appearance result;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    result.miniature[i] =
        static_cast<std::int8_t>(std::lround(std::clamp(kScale * cells[i], -127.0, 127.0)));
  }
  result.hash = hash_of(cells);
  return result;
}

double correlation(const Miniature& a, const Miniature& b) {
  std::int64_t sum_a = 0, sum_b = 0, sum_aa = 0, sum_bb = 0, sum_ab = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    sum_a += a[i];
    sum_b += b[i];
    sum_aa += a[i] * a[i];
    sum_bb += b[i] * b[i];
    sum_ab += a[i] * b[i];
  }
  const auto count = static_cast<double>(a.size());
  const auto product = [&](std::int64_t cross, std::int64_t left, std::int64_t right) {
    return static_cast<double>(cross) -
           static_cast<double>(left) * static_cast<double>(right) / count;
  };
  return product(sum_ab, sum_a, sum_b) /
         std::sqrt(product(sum_aa, sum_a, sum_a) * product(sum_bb, sum_b, sum_b));
}

}  // namespace cubcal
