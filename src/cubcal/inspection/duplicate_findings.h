#pragma once

#include <vector>

#include "cubcal/inspection/findings.h"

/// The parts of examine(). Each adds what it finds.
namespace cubcal {

void find_identical(const Catalog& catalog, const std::vector<SampleList>& identical,
                    std::vector<Finding>& findings);
void find_near(const Catalog& catalog, const std::vector<SampleList>& identical,
               const std::vector<NearPair>& pairs, const NearOptions& options,
               std::vector<Finding>& findings);
void find_torn_groups(const Catalog& catalog, std::vector<Finding>& findings);

}  // namespace cubcal
