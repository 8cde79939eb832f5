#pragma once

#include <string>
#include <vector>

#include "cubcal/report/report_options.h"
#include "cubcal/report/run_input.h"

namespace cubcal::report {

/// One of the things a report is made of: a run folder, or a file of test logits with what the
/// options name beside it.
struct RunSource {
  std::string label;  ///< empty where none was given
  std::string path;
  bool is_folder = false;
  std::string validation;  ///< paths of files; empty where there is none
  std::string outliers;
  std::string calibration;
  std::string fresh;  ///< logits of a new place

  /// Every file that may be read of it.
  std::vector<std::string> files() const;
};

/// What the options name, in their order. Nothing is read. Throws ArgumentError for options that do
/// not go together.
std::vector<RunSource> run_sources(const ReportOptions& options);

/// Throws as read_run and read_logits_set do.
RunInput read_source(const RunSource& source, const ReportOptions& options);

}  // namespace cubcal::report
