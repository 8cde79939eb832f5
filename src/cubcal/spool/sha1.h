#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cubcal {

/// SHA-1 (FIPS 180-4), which name-based UUIDs are made of. No protection against somebody who wants
/// two texts to look alike.
std::array<std::uint8_t, 20> sha1(std::string_view text);

}  // namespace cubcal
