#include "cubcal/node/back_off.h"

#include <algorithm>

namespace cubcal {

std::chrono::milliseconds back_off(std::size_t failures, std::chrono::milliseconds first) {
  constexpr std::chrono::milliseconds kLongest = std::chrono::minutes(1);
  constexpr std::size_t kDoublings = 16;
  if (failures == 0) return std::chrono::milliseconds(0);
  return std::min(kLongest, first * (1 << std::min(failures - 1, kDoublings)));
}

}  // namespace cubcal
