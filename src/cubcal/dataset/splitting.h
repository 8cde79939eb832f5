#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/dataset/catalog.h"

namespace cubcal {

struct SplitOptions {
  double train = 0.7;  ///< shares; they need not sum to 1 and may be 0
  double val = 0.15;
  double test = 0.15;
  std::uint64_t seed = 42;
  std::vector<std::string> stratify_by = {};  ///< metadata columns besides the class
};

/// Deals the samples out anew: stratified by class (and columns), a group never in two splits, a
/// sample without a group a group of its own. Outliers go to kOutlierSplit, whatever their group.
/// Groups are dealt largest first, equal ones in an order that follows from the seed, each to the
/// split that lacks most of its share of the group's classes. So every split gets large and small
/// groups alike, and where groups are of one class, no split is further from its share of a class
/// than the largest group. The same catalog in another order of rows gives the same splits. Lists
/// of samples in `together`, such as identical images, stay in one split with all of their groups.
/// Throws DataError where there are no classes.
Catalog split_catalog(const Catalog& catalog, const SplitOptions& options,
                      const std::vector<std::vector<std::size_t>>& together = {});

/// Keeps this share, above 0 and at most 1, of the groups of `splits` per class, at least one, and
/// every other split as it is; a group of several classes counts for the one it has most of. What
/// is kept at a share is kept at every larger one with the same seed.
Catalog take_fraction(const Catalog& catalog, double fraction, std::uint64_t seed,
                      const std::vector<std::string>& splits = {"train", "val"});

/// The positions in `labels` (those of one split) in their order, followed by copies so that every
/// class has as many as the largest; classes without members stay without. Copies go round: no
/// image is there three times before every one of its class is there twice. Training augments
/// copies apart, by their place in the list.
std::vector<std::size_t> balanced_members(const std::vector<std::int64_t>& labels,
                                          std::size_t classes, std::uint64_t seed);

}  // namespace cubcal
