#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/dataset/catalog.h"
#include "cubcal/inspection/duplicates.h"

namespace cubcal {

/// Some images of one class (or kind of outlier) in one split.
struct ContactStrip {
  std::string name;   ///< class
  std::string split;  ///< empty: not split
  std::size_t images = 0;
  SampleList shown;
};

/// A few images, drawn by the seed, of every class and split that has any; as many per strip, at
/// most 8, as keep the sheet to about 240 images.
std::vector<ContactStrip> contact_sheet(const Catalog& catalog, std::uint64_t seed);

/// `count` of the samples, drawn by the seed, in rising order; all where there are no more.
SampleList drawn(const SampleList& samples, std::size_t count, std::uint64_t seed,
                 std::uint64_t stream);

}  // namespace cubcal
