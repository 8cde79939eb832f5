#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace cubcal {

/// Which fold each sample is held out in. All samples of a group are in one fold; folds are as
/// equal in size as groups allow. There are at most `count` folds, and as many as there are groups
/// where these are fewer: one fold means that nothing can be held out.
struct Folds {
  std::vector<std::uint32_t> of_sample;
  std::size_t count = 0;

  std::vector<std::size_t> inside(std::size_t fold) const;
  std::vector<std::size_t> outside(std::size_t fold) const;
};

/// `groups` has one entry per sample, or none: then each sample is a group of its own. The draw
/// depends on the seed alone.
Folds make_folds(std::size_t samples, const std::vector<std::string>& groups, std::size_t count,
                 std::uint64_t seed);

}  // namespace cubcal
