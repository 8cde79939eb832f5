#pragma once

#include <string>
#include <vector>

#include "cubcal/html/html.h"
#include "cubcal/report/report_options.h"
#include "cubcal/report/run_result.h"
#include "cubcal/report/sample_images.h"

/// The parts of the page, each in a file of its own. Every function gives markup, nothing where the
/// run has nothing to show.
namespace cubcal::report {

/// Runs of one label.
struct Method {
  std::string label;
  std::vector<const RunResult*> runs;
};

struct MethodDifferences;

/// For a reader in a hurry, about the first method.
std::string verdict_section(const Method& method);
/// How the model of the first run is used: name, calibration, thresholds, what it decides class by
/// class and which of its promises were missed.
std::string deployed_section(const RunResult& run);
/// All methods side by side: metrics, differences on the same images, densities of uncertainty.
std::string methods_section(const std::vector<Method>& methods,
                            const MethodDifferences& differences, const ReportOptions& options,
                            Figures& figures);

/// Which predictions and which intervals the studies of a run are about.
std::string study_basis(const RunResult& run, const ReportOptions& options);

/// Of one run:
std::string boundary_section(const RunResult& run, const ReportOptions& options, Figures& figures);
std::string reliability_section(const RunResult& run, Figures& figures);
std::string referral_section(const RunResult& run, Figures& figures);
std::string temperature_section(const RunResult& run, Figures& figures);
std::string detection_section(const RunResult& run, Figures& figures);
std::string classes_section(const RunResult& run, Figures& figures);
std::string training_section(const RunResult& run, Figures& figures);
std::string subgroup_section(const RunResult& run);
/// Where the options ask for them:
std::string clinical_section(const RunResult& run, const ReportOptions& options);
std::string benefit_section(const RunResult& run, const ReportOptions& options, Figures& figures);
std::string prevalence_section(const RunResult& run, const ReportOptions& options);
std::string image_section(const RunResult& run, const SampleImages& images, std::size_t most);
std::string card_section(const RunResult& run, const ReportOptions& options);

}  // namespace cubcal::report
