#pragma once

#include <cstdint>

#include "cubcal/core/seed_stream.h"

namespace cubcal {

/// What a stream of random numbers for images is for. Each purpose has streams of its own, so
/// that one seed can serve the generator, the batch order and the augmentation at once.
enum class StreamPurpose : std::uint64_t {
  kPhantomSample = 0xd1,
  kPhantomPatient = 0xd2,
  kBatchOrder = 0xd3,
  kAugmentation = 0xd4
};

/// The stream of (seed, purpose, major, minor); major below 2^24.
inline SeedStream purpose_stream(std::uint64_t seed, StreamPurpose purpose, std::uint64_t major,
                                 std::uint32_t minor) {
  const std::uint64_t tag = static_cast<std::uint64_t>(purpose) << 56;
  return SeedStream(seed, tag | ((major & 0xffffffU) << 32) | minor);
}

}  // namespace cubcal
