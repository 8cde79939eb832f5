#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/conformal/set_summary.h"
#include "cubcal/sample_column.h"

namespace cubcal {

/// Summaries of the samples that share a label, or a value of a column.
struct SetTable {
  std::string column;
  std::vector<SetSummary> rows;
};

/// The samples that got sets.
struct SetSamples {
  std::vector<std::string> class_names;
  std::vector<std::int64_t> labels;   ///< empty without
  std::vector<SampleColumn> columns;  ///< to look at apart
  bool has_labels = false;
};

/// What the sets of a rule came to.
struct ConformalStudy {
  ConformalRule rule;
  std::vector<std::string> class_names;
  std::string column;  ///< that thresholds are kept apart by; empty where none
  double level = 0.95;
  bool has_labels = false;
  SetSummary overall;
  std::vector<SetTable> tables;  ///< by label where there are some, and by each column

  /// Where there is one threshold for all: how many of the samples should be covered.
  std::optional<CoverageForecast> forecast() const;
};

/// `sets` is what prediction_sets gives, `level` that of the intervals.
ConformalStudy study_sets(const ConformalRule& rule, const std::string& column,
                          const std::vector<std::uint8_t>& sets, const SetSamples& samples,
                          double level);

/// Of whom the promise is missed: all, or a class or group that it is made for.
struct MissedPromise {
  std::string column;  ///< empty for all
  const SetSummary* sets;
};
std::vector<MissedPromise> missed_promises(const ConformalStudy& study);

}  // namespace cubcal
