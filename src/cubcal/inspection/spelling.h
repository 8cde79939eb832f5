#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cubcal/dataset/catalog.h"

namespace cubcal {

/// Two names that may mean one thing.
struct AlikeNames {
  std::string rarer;
  std::string commoner;  ///< equally frequent: the one without blanks around it, else the first
  std::size_t rarer_count = 0;
  std::size_t commoner_count = 0;
  /// They differ in case, blanks, hyphens and underscores alone, and so are surely one.
  bool is_same = false;

  /// Whether a correction takes the rarer for the commoner: they are the same, or it is a slip of
  /// one letter in at most a tenth as many images.
  bool is_corrected() const { return is_same || 10 * rarer_count <= commoner_count; }
};

/// Names of classes that are alike: the same but for case, blanks, hyphens and underscores; or in
/// one word of five letters and more one letter, not the first and no digit, is missing, too many,
/// another, or changes places with its neighbour. So "melanoma" is like "Melanmoa", but "grade 1"
/// not like "grade 2", "atypical" not like "typical". Each rarer name is told once, against the
/// commonest that is like it.
std::vector<AlikeNames> alike_labels(const Catalog& catalog);

/// Names of splits that are another's but for blanks, or those of train, val, test and ood; also
/// Catalog::blank_splits, which were read without their blanks.
std::vector<AlikeNames> alike_splits(const Catalog& catalog);

}  // namespace cubcal
