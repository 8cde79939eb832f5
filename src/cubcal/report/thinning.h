#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal::report {

/// Which samples a chart shows.
struct Thinned {
  std::vector<std::uint32_t> right;  ///< by rising uncertainty
  std::vector<std::uint32_t> wrong;
  std::size_t all_right = 0;
  std::size_t all_wrong = 0;

  bool is_whole() const { return right.size() == all_right && wrong.size() == all_wrong; }
};

/// All samples, or about `most` of them: of wrong answers up to half of that, of right ones the
/// rest, each spread evenly over the order of uncertainty. Nothing is drawn by chance.
Thinned thinned_samples(const SampleFacts& facts, std::size_t most);

}  // namespace cubcal::report
