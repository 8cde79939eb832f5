#pragma once

#include <string>
#include <vector>

#include "demo_parts.h"
#include "number_table.h"

namespace cubcal::app {

/// What a demo shows, computed from the parts' logits: all on the test split.
struct DemoTables {
  NumberTable methods;                ///< training-time table: one row per part
  NumberTable post_hoc;               ///< calibrations of BNN + CUB, fitted on val
  NumberTable detection;              ///< lesions of unseen kinds against test, one row per part
  std::vector<std::string> warnings;  ///< of the fits
};

/// Saves the calibrations beside the logits of the part they were fitted on.
DemoTables demo_tables(const std::vector<RunPart>& parts);

}  // namespace cubcal::app
