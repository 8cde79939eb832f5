#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cubcal/calibration/calibration.h"
#include "cubcal/prevalence/study.h"
#include "table_output.h"

namespace cubcal::app {

/// All that 'cubcal prevalence' found.
struct PrevalenceResult {
  std::string file;
  std::string title;  ///< describes the labelled file
  std::string new_file;
  std::string new_title;  ///< describes the new one; empty without
  std::vector<std::string> class_names;
  std::optional<Calibration> calibration;
  PrevalenceStudy study;
  bool bootstrap_by_group = false;
};

void print_prevalence(std::ostream& out, const PrevalenceResult& result);
std::string prevalence_json(const PrevalenceResult& result);
/// The metrics in their three columns; as CSV shares and metrics, one number in a row.
PaperTable prevalence_table(const PrevalenceResult& result);

}  // namespace cubcal::app
