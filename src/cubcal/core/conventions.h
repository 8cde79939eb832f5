#pragma once

#include <cstddef>

/// What numbers are made with where nobody says otherwise; reports name it beside them.
namespace cubcal {

inline constexpr double kDefaultGamma = 0.9;     ///< where the boundary curve changes sides
inline constexpr double kDefaultEta = 0.325;     ///< U above it is uncertain, nats
inline constexpr std::size_t kDefaultBins = 15;  ///< of ECE, UCE and BCCE

}  // namespace cubcal
