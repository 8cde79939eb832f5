#pragma once

#include <string>
#include <vector>

#include "cubcal/results/result_table.h"
#include "demo_parts.h"

namespace cubcal::app {

/// What a demo shows, computed from the parts' logits: all on the test split.
struct DemoTables {
  results::ResultTable methods;       ///< training-time table: one row per part
  results::ResultTable post_hoc;      ///< calibrations of BNN + CUB, fitted on val
  results::ResultTable detection;     ///< lesions of unseen kinds against test, one row per part
  std::vector<std::string> warnings;  ///< of the fits
};

/// Saves the calibrations beside the logits of the part they were fitted on.
DemoTables demo_tables(const std::vector<RunPart>& parts);

}  // namespace cubcal::app
