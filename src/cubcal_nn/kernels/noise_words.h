#pragma once

#include <array>
#include <cstdint>

namespace cubcal {

/// 128 bits that stand for the key of a draw: two words become its Philox key, two the upper half
/// of its counter. Value i of the draw is made from word i % 4 (and its neighbour) of block i / 4.
using NoiseWords = std::array<std::uint32_t, 4>;

}  // namespace cubcal
