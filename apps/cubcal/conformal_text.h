#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "cubcal/conformal/set_summary.h"

namespace cubcal::app {

/// Summaries of the samples that share a label, or a value of a column.
struct SetTable {
  std::string column;
  std::vector<SetSummary> rows;
};

/// All that 'cubcal conformal' found.
struct ConformalResult {
  ConformalRule rule;
  std::string calibration_title;
  std::string test_title;
  std::vector<std::string> class_names;
  std::string column;  ///< that thresholds are kept apart by; empty where none
  double level = 0.95;
  bool has_labels = false;
  bool has_groups = false;
  SetSummary overall;
  std::vector<SetTable> tables;

  /// Where there is one threshold for all: how many of the samples should be covered.
  std::optional<CoverageForecast> forecast() const;
};

void print_conformal(std::ostream& out, const ConformalResult& result);
std::string conformal_json(const ConformalResult& result);

}  // namespace cubcal::app
