#include "cubcal/inspection/duplicates.h"

#include <algorithm>
#include <map>

#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"

namespace cubcal {

namespace {

constexpr std::size_t kRows = 64;  ///< first images per task

/// One image per content, among those that are not flat.
SampleList representatives(const std::vector<ImageFacts>& facts) {
  std::map<PixelHash, std::size_t> seen;
  SampleList chosen;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].appearance && seen.emplace(facts[i].pixels, i).second) chosen.push_back(i);
  }
  return chosen;
}

bool within(const PerceptualHash& a, const PerceptualHash& b, int most) {
  // Most pairs differ enough in the first quarter.
  return __builtin_popcountll(a.words[0] ^ b.words[0]) <= most && distance(a, b) <= most;
}

}  // namespace

std::vector<SampleList> identical_images(const std::vector<ImageFacts>& facts) {
  std::map<PixelHash, SampleList> by_content;
  for (std::size_t i = 0; i < facts.size(); ++i) {
    if (facts[i].is_readable()) by_content[facts[i].pixels].push_back(i);
  }
  std::vector<SampleList> sets;
  for (auto& entry : by_content) {
    if (entry.second.size() > 1) sets.push_back(std::move(entry.second));
  }
  std::sort(sets.begin(), sets.end());
  return sets;
}

std::vector<NearPair> near_duplicates(const std::vector<ImageFacts>& facts,
                                      const NearOptions& options) {
  check_in_closed("the most bits near-duplicates differ in", options.max_distance, 0,
                  kPerceptualBits);
  check_in_closed("the least correlation of near-duplicates", options.min_correlation, -1, 1);
  const SampleList chosen = representatives(facts);
  std::vector<PerceptualHash> hashes;
  hashes.reserve(chosen.size());
  for (const std::size_t i : chosen) hashes.push_back(facts[i].appearance->hash);

  std::vector<std::vector<NearPair>> found((chosen.size() + kRows - 1) / kRows);
  parallel_blocks(chosen.size(), kRows, [&](std::size_t first, std::size_t last) {
    for (std::size_t a = first; a < last; ++a) {
      for (std::size_t b = a + 1; b < hashes.size(); ++b) {
        if (!within(hashes[a], hashes[b], options.max_distance)) continue;
        const double alike = correlation(facts[chosen[a]].appearance->miniature,
                                         facts[chosen[b]].appearance->miniature);
        if (alike < options.min_correlation) continue;
        found[first / kRows].push_back(
            {chosen[a], chosen[b], distance(hashes[a], hashes[b]), alike});
      }
    }
  });
  std::vector<NearPair> pairs;
  for (const auto& part : found) pairs.insert(pairs.end(), part.begin(), part.end());
  return pairs;
}

std::vector<SampleList> near_sets(const std::vector<NearPair>& pairs) {
  std::map<std::size_t, std::size_t> set_of;  // where each image went
  std::vector<SampleList> sets;
  for (std::size_t i = 0; i < pairs.size();) {  // pairs of one first image stand together
    const std::size_t leader = pairs[i].first;
    SampleList members{leader};
    const bool is_taken = set_of.count(leader) > 0;
    for (; i < pairs.size() && pairs[i].first == leader; ++i) {
      if (!is_taken && set_of.count(pairs[i].second) == 0) members.push_back(pairs[i].second);
    }
    if (members.size() < 2) continue;
    for (const std::size_t member : members) set_of[member] = sets.size();
    sets.push_back(std::move(members));
  }
  return sets;
}

}  // namespace cubcal
