#pragma once

#include <ostream>
#include <vector>

#include "cubcal/inspection/findings.h"

namespace cubcal::app {

/// What was read, counts, and findings in order of severity with up to five examples each; of
/// unreadable files all.
void print_inspection(std::ostream& out, const Catalog& catalog,
                      const std::vector<ImageFacts>& facts, const std::vector<Finding>& findings);

}  // namespace cubcal::app
