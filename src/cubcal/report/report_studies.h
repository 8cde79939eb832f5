#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/benefit/benefit_curve.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/metrics/clinical.h"
#include "cubcal/prevalence/study.h"

/// What a page shows where it is asked for, and what was found. How classes are called is known
/// once a run was read, so that options which name some are functions of that.
namespace cubcal::report {

/// What accepting, referring and treating is worth (cubcal/benefit).
struct BenefitRequest {
  BenefitOptions options;
  /// A mark for each class that is the disease.
  std::function<std::vector<std::uint8_t>(const std::vector<std::string>& class_names)> positive;
  /// What the policy does with each sample; where this is empty, there is none.
  std::function<std::vector<Decision>(const LogitsFile& file, const Predictive& predictive)>
      decisions = {};
  std::string policy = {};  ///< the same in words
};

/// What another prevalence changes (cubcal/prevalence). Metrics and bootstrap are the report's.
struct PrevalenceRequest {
  std::function<PrevalenceOptions(const std::vector<std::string>& class_names,
                                  const ClassShares& labels)>
      options;
  /// Logits of the new place, FILE or with several runs LABEL=FILE; empty: it is stated.
  std::vector<std::string> new_logits = {};
};

using ClinicalRequest = std::function<ClinicalOptions(const std::vector<std::string>& class_names)>;

struct ClinicalStudy {
  ClinicalOptions options;
  ClinicalValues values;
  ClinicalIntervals intervals;
};

struct BenefitStudy {
  std::vector<std::string> positive;  ///< names of classes
  std::size_t cases = 0;
  std::size_t diseased = 0;
  std::string policy;  ///< in words; empty where there is none
  BenefitCurve curve;
};

struct RunStudies {
  std::string calibration;                ///< what predictions went through; empty: nothing
  std::optional<ClinicalStudy> clinical;  ///< checklists ask for it, too
  std::optional<BenefitStudy> benefit;
  std::optional<PrevalenceStudy> prevalence;
  std::size_t new_samples = 0;  ///< those the prevalence was estimated from
};

struct ReportOptions;
struct RunInput;

/// What the options ask for, of the prediction of the test logits. Errors name the file.
RunStudies run_studies(const RunInput& input, const std::vector<std::string>& class_names,
                       const Predictive& predictive,
                       const std::optional<Predictive>& new_predictive,
                       const ReportOptions& options);

}  // namespace cubcal::report
