#pragma once

#include <chrono>
#include <cstddef>

namespace cubcal {

/// How long to wait after so many failures in a row: 1 s after the first, then twice as long each
/// time, a minute at most.
std::chrono::milliseconds back_off(std::size_t failures,
                                   std::chrono::milliseconds first = std::chrono::seconds(1));

}  // namespace cubcal
