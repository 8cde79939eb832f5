#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cubcal/report/report_options.h"
#include "cubcal/report/run_input.h"

namespace cubcal::report {

/// What was written, for the program to tell.
struct WrittenReport {
  std::size_t runs = 0;
  std::size_t methods = 0;
  std::size_t bytes = 0;
  std::vector<std::string> notes;    ///< sentences: what the page lacks and why
  std::vector<std::string> figures;  ///< files of single charts, without .svg and .pdf
};

/// Reads the runs or logits that the options name, works everything out and writes the page, whole
/// or not at all. The same input gives the same bytes. Throws ArgumentError for options that do not
/// go together, IoError and DataError, naming the file, for what cannot be read.
WrittenReport write_report(const ReportOptions& options);

/// The same of logits that are in memory: the options name neither runs nor files of logits.
WrittenReport write_report(const ReportOptions& options, RunInput input);

}  // namespace cubcal::report
