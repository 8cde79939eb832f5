#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "cubcal/core/array_view.h"

namespace cubcal {

/// The CRC-32 of zip archives for bytes that follow those `crc` was made of (0 for none), computed
/// on several threads.
std::uint32_t crc32_of(ArrayView<const std::byte> bytes, std::uint32_t crc = 0);

/// The same for bytes that have yet to be put in place: fill(first, last) is called for blocks
/// that cover them, and each block is summed right after, while it is still in the cache.
std::uint32_t crc32_while_filling(ArrayView<std::byte> bytes, std::uint32_t crc,
                                  const std::function<void(std::size_t, std::size_t)>& fill);

}  // namespace cubcal
