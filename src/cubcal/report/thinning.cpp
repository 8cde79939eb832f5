#include "cubcal/report/thinning.h"

#include <algorithm>

namespace cubcal::report {

namespace {

std::vector<std::uint32_t> evenly(const std::vector<std::uint32_t>& all, std::size_t count) {
  if (all.size() <= count) return all;
  std::vector<std::uint32_t> kept;
  // The middle of each of `count` equal stretches.
  for (std::size_t i = 0; i < count; ++i)
    kept.push_back(all[(2 * i + 1) * all.size() / (2 * count)]);
  return kept;
}

}  // namespace

Thinned thinned_samples(const SampleFacts& facts, std::size_t most) {
  std::vector<std::uint32_t> right;
  std::vector<std::uint32_t> wrong;
  for (const std::uint32_t i : facts.by_entropy) (facts.correct[i] ? right : wrong).push_back(i);
  const std::size_t fewest_right = std::min(right.size(), most - most / 2);
  const std::size_t wrong_kept = std::min(wrong.size(), most - fewest_right);
  return {evenly(right, most - wrong_kept), evenly(wrong, wrong_kept), right.size(), wrong.size()};
}

}  // namespace cubcal::report
