#pragma once

#include <cstdint>

namespace cubcal {

/// A run of neighbours out of a row.
struct Share {
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// The share of one rank in `total` things: neighbours, in the order of ranks, no two shares
/// differing by more than one.
inline Share share_of(std::int64_t total, int rank, int ranks) {
  const std::int64_t first = total * rank / ranks;
  return {first, total * (rank + 1) / ranks - first};
}

}  // namespace cubcal
