#pragma once

#include <array>
#include <cstdint>

#include "cubcal/core/philox.h"

namespace cubcal {

/// A reproducible stream of random numbers made of (seed, stream): equal pairs give equal numbers
/// on every machine, and different streams are independent. Randomness is an argument everywhere.
class SeedStream {
 public:
  SeedStream(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  std::uint32_t next_u32() {
    if (used_ == 4) refill();
    return block_[used_++];
  }

  std::uint64_t next_u64() {
    const std::uint64_t high = next_u32();
    return (high << 32) | next_u32();
  }

  /// Uniform in [0, 1) with 53 random bits.
  double uniform() { return static_cast<double>(next_u64() >> 11) * 0x1p-53; }

  /// Uniform in {0, ..., bound - 1}, unbiased (Lemire 2019); bound must be positive.
  std::uint32_t below(std::uint32_t bound) {
    std::uint64_t product = std::uint64_t{next_u32()} * bound;
    if (static_cast<std::uint32_t>(product) < bound) {
      const std::uint32_t threshold = (0U - bound) % bound;
      while (static_cast<std::uint32_t>(product) < threshold) {
        product = std::uint64_t{next_u32()} * bound;
      }
    }
    return static_cast<std::uint32_t>(product >> 32);
  }

  /// Standard normal (Box-Muller).
  double normal();

 private:
  void refill() {
    block_ = philox4x32(
        {static_cast<std::uint32_t>(position_), static_cast<std::uint32_t>(position_ >> 32),
         static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
        {static_cast<std::uint32_t>(seed_), static_cast<std::uint32_t>(seed_ >> 32)});
    ++position_;
    used_ = 0;
  }

  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
  std::array<std::uint32_t, 4> block_{};
  int used_ = 4;
  bool has_spare_ = false;
  double spare_ = 0;
};

}  // namespace cubcal
