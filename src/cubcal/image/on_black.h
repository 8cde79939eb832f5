#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace cubcal {

/// Lays gray + alpha or RGBA, channels interleaved, on black: v a / max, rounded. The last channel
/// is the alpha.
template <class Level>
std::vector<Level> on_black(const std::vector<Level>& levels, std::size_t channels) {
  constexpr std::uint32_t kMax = std::numeric_limits<Level>::max();
  std::vector<Level> colours;
  colours.reserve(levels.size() / channels * (channels - 1));
  for (std::size_t i = 0; i < levels.size(); i += channels) {
    const std::uint32_t alpha = levels[i + channels - 1];
    for (std::size_t c = 0; c + 1 < channels; ++c) {
      colours.push_back(static_cast<Level>((levels[i + c] * alpha + kMax / 2) / kMax));
    }
  }
  return colours;
}

}  // namespace cubcal
