#pragma once

#include <vector>

#include "cubcal/inspection/findings.h"
#include "cubcal/inspection/overview.h"

/// The parts of examine(). Each adds what it finds.
namespace cubcal {

void find_unreadable(const std::vector<ImageFacts>& facts, std::vector<Finding>& findings);
void find_enlarged(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                   std::vector<Finding>& findings);
void find_constant(const std::vector<ImageFacts>& facts, std::vector<Finding>& findings);
/// Sizes, colour and depth that differ between images, and levels nobody uses.
void find_mixture(const Overview& view, const std::vector<ImageFacts>& facts,
                  std::vector<Finding>& findings);

}  // namespace cubcal
