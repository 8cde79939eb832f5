#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cubcal/metrics/clinical.h"

namespace cubcal::app {

/// What the command line says of clinical metrics.
struct ClinicalChoice {
  std::string prefix = "--";      ///< in front of every option but --clinical itself
  std::string group = "Options";  ///< of the help
  bool wanted = false;
  std::vector<double> thresholds;
  std::vector<double> sensitivities;
  std::vector<double> specificities;
  std::vector<std::string> prevalences;  ///< "0.02" for every class, or "melanoma=0.02"
};

/// Adds --clinical, --threshold, --at-sensitivity, --at-specificity and --prevalence, the latter
/// called as `choice.prefix` says.
void add_clinical_options(CLI::App& command, ClinicalChoice& choice);

/// Throws ArgumentError for a prevalence that is not a number in [0, 1] or of a class there is not.
ClinicalOptions clinical_options(const ClinicalChoice& choice,
                                 const std::vector<std::string>& class_names);

}  // namespace cubcal::app
