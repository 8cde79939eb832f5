#pragma once

#include <cstdint>
#include <vector>

namespace cubcal {

/// In which order the images of an epoch are visited: a permutation that follows from
/// (seed, epoch) alone, so that a run that was stopped continues exactly where it was.
class BatchOrder {
 public:
  /// Throws ArgumentError for no images or a batch size of 0.
  BatchOrder(std::int64_t count, std::int64_t batch_size, std::uint64_t seed);

  std::int64_t batches_per_epoch() const;
  std::vector<std::int64_t> permutation(std::uint64_t epoch) const;
  /// The images of each batch of an epoch; the last batch holds what is left.
  std::vector<std::vector<std::int64_t>> batches(std::uint64_t epoch) const;

 private:
  std::int64_t count_;
  std::int64_t batch_size_;
  std::uint64_t seed_;
};

}  // namespace cubcal
