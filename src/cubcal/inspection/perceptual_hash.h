#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "cubcal/inspection/gray_plane.h"

/// How alike two images look, whatever their size, compression, brightness and contrast. Two
/// questions are asked: a hash of 256 bits finds candidates fast, and the correlation of small
/// copies confirms them.
namespace cubcal {

/// A copy of kMiniatureSide x kMiniatureSide pixels, each the mean over its area, with mean 0 and
/// standard deviation 1, stored as 32 times the value.
inline constexpr std::size_t kMiniatureSide = 32;
using Miniature = std::array<std::int8_t, kMiniatureSide * kMiniatureSide>;

/// Bit (r, c) of a 16 x 16 grid tells whether the image brightens from the cell to its right-hand
/// neighbour where r + c is even, to the one below where it is odd; the last has the first as its
/// neighbour. A step counts from a hundredth of a standard deviation on, so that compression noise
/// in empty background leaves the bits alone.
struct PerceptualHash {
  std::array<std::uint64_t, 4> words{};
};

inline constexpr int kPerceptualBits = 256;

struct Appearance {
  Miniature miniature{};
  PerceptualHash hash;
};

/// None for a flat image, whose small copy has a standard deviation under 2 levels: all flat images
/// look alike.
std::optional<Appearance> appearance(const GrayPlane& plane);

/// Number of bits that differ.
inline int distance(const PerceptualHash& a, const PerceptualHash& b) {
  int bits = 0;
  for (std::size_t i = 0; i < a.words.size(); ++i) {
    bits += __builtin_popcountll(a.words[i] ^ b.words[i]);
  }
  return bits;
}

/// Pearson's, in [-1, 1].
double correlation(const Miniature& a, const Miniature& b);

}  // namespace cubcal
