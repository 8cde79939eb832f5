#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/inspection/image_facts.h"

/// Images are named by their place in the list of facts. Unreadable ones take no part.
namespace cubcal {

using SampleList = std::vector<std::size_t>;

/// Sets of two and more images with the same pixels, each in rising order, by their first image.
std::vector<SampleList> identical_images(const std::vector<ImageFacts>& facts);

struct NearOptions {
  int max_distance = 24;          ///< bits of 256 in which the perceptual hashes may differ
  double min_correlation = 0.98;  ///< of the miniatures
};

/// Two images that look alike but differ in pixels.
struct NearPair {
  std::size_t first;
  std::size_t second;
  int distance;
  double correlation;
};

/// Every such pair, first < second, in rising order. Of identical images only the first takes part.
/// All pairs of hashes are compared: 10,000 images take a fraction of a second.
std::vector<NearPair> near_duplicates(const std::vector<ImageFacts>& facts,
                                      const NearOptions& options = {});

/// The pairs gathered into sets. An image joins a set only where it makes a pair with the set's
/// first image: a likes b and b likes c does not put a and c together.
std::vector<SampleList> near_sets(const std::vector<NearPair>& pairs);

}  // namespace cubcal
