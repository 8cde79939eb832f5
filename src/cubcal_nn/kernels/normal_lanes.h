#pragma once

#include <cstdint>

#include "cubcal_nn/kernels/normal_blocks.h"
#include "cubcal_nn/kernels/normal_formula.h"
#include "cubcal_nn/kernels/philox_lanes.h"

namespace cubcal {

static_assert(kNormalBlock == std::int64_t{4} * kPhiloxLanes);

/// normal_block() in the vectors of `Words`: the same values, bit for bit, whatever their width.
template <class Words>
void normal_block_in(std::int64_t first, const NoiseWords& words, float (&values)[kNormalBlock]) {
  std::uint32_t bits[4][kPhiloxLanes];
  philox_lanes<Words>(static_cast<std::uint32_t>(first / 4), 0, words, bits);
  // Lanes side by side, the layout compilers turn into vector instructions, and then in order.
  float value[4][kPhiloxLanes];
  for (int lane = 0; lane < kPhiloxLanes; ++lane) {
    normal_pair(bits[0][lane], bits[1][lane], value[0][lane], value[1][lane]);
    normal_pair(bits[2][lane], bits[3][lane], value[2][lane], value[3][lane]);
  }
  for (int lane = 0; lane < kPhiloxLanes; ++lane) {
    for (int k = 0; k < 4; ++k) values[4 * lane + k] = value[k][lane];
  }
}

}  // namespace cubcal
