#pragma once

#include <string>
#include <vector>

#include "cubcal/dataset/catalog.h"
#include "cubcal/inspection/findings.h"

namespace cubcal {

/// A data set with what can be corrected without asking.
struct Correction {
  Catalog catalog;
  std::vector<std::string> changes;  ///< a sentence each
  std::vector<std::string> left;     ///< what a person has to decide, a sentence each
};

/// Unreadable images and rows that cannot be used (Catalog::faults) are left out; classes that
/// alike_labels corrects take the commonest spelling, without blanks around it; splits lose their
/// blanks; a row without a split takes that of its group, or is left out where that is not one; of
/// identical images in several splits those of the last one (test before val before train) stay, so
/// that the test set stays what it is. Torn groups, near-duplicates, and identical images under
/// different labels are left for a person. Throws DataError where no image would stay.
Correction corrected(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                     const NearOptions& near = {});

}  // namespace cubcal
