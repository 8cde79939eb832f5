#pragma once

#include <string>
#include <vector>

#include "cubcal/metrics/detection_intervals.h"
#include "cubcal/record/ood_record.h"
#include "cubcal_nn/experiment/ood_run.h"

namespace cubcal {

/// Outliers of one kind, by their place in the split.
struct OodCategory {
  std::string name;
  std::vector<std::size_t> members;
};

/// What one row of the table shows.
struct OodTableRow {
  OodRow row;
  std::vector<double> id_scores;
  std::vector<double> ood_scores;
  DetectionResult all;
  std::vector<DetectionResult> by_category;
};

struct OodTable {
  std::vector<OodTableRow> rows;
  std::vector<OodCategory> categories;  ///< in the order they first come; none where there is one
  BootstrapOptions bootstrap;
  bool grouped = false;  ///< whether groups were resampled
};

/// The kinds of outliers of a split: the names they were given, or the values of a metadata column.
/// Throws ArgumentError that lists the columns there are.
std::vector<OodCategory> ood_categories(const ImageSet& set, const ImageSplit& split,
                                        const std::string& column);

OodTable make_ood_table(OodRun& run, const std::vector<OodRow>& rows, const ImageSplit& id,
                        const ImageSplit& ood, std::vector<OodCategory> categories,
                        const BootstrapOptions& bootstrap, bool by_groups);

OodTableRecord table_record(const OodTable& table);

/// Score histograms as PREFIX-<key>.svg, ID against every category of outliers.
void write_ood_figures(const std::string& prefix, const OodTable& table);

}  // namespace cubcal
