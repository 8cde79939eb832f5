#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/metrics/bootstrap.h"
#include "cubcal/metrics/clinical.h"
#include "cubcal/metrics/detection.h"
#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

struct Calibration;

/// How well one score tells out-of-distribution inputs apart.
struct DetectionRow {
  const char* key;
  const char* label;
  std::optional<DetectionMetrics> metrics;
};

struct Detection {
  std::string title;  ///< describes the out-of-distribution file
  std::vector<DetectionRow> rows;
};

/// The scores that need nothing but logits: 1 - c, U and mutual information.
Detection output_detection(const Predictive& in_distribution, const Predictive& out,
                           const std::string& title);

/// The clinical metrics, with what they were computed with.
struct ClinicalResult {
  ClinicalOptions options;
  ClinicalValues values;
  std::optional<ClinicalIntervals> intervals;
};

/// What was done to the logits before they were measured.
struct AppliedCalibration {
  std::string method;
  std::string document;  ///< its JSON, as its file has it
};
AppliedCalibration applied(const Calibration& calibration);

/// All that 'cubcal evaluate' found, for its text and its JSON.
struct Evaluation {
  std::string file;
  std::string title;  ///< describes the file
  std::size_t passes = 0;
  std::vector<std::string> class_names;
  std::vector<std::string> files;  ///< of the images, where they are named
  std::optional<AppliedCalibration> calibration;
  SampleFacts facts;
  MetricValues values;
  std::optional<BootstrapOptions> bootstrap;
  bool bootstrap_by_group = false;
  MetricIntervals intervals;
  std::optional<ClinicalResult> clinical;
  std::optional<Detection> detection;
};

/// What is measured, and with what.
struct EvaluationPlan {
  MetricOptions metrics;
  std::optional<BootstrapOptions> bootstrap = {};  ///< unset: no intervals
  std::optional<ClinicalOptions> clinical = {};    ///< unset: no clinical metrics
  bool by_group = true;                            ///< intervals, where a file has groups
};

/// Facts, metrics, intervals and clinical metrics of a labelled prediction; intervals by group
/// where `groups` has one for each sample. The other fields are left for the caller to fill.
Evaluation evaluate_prediction(const Predictive& predictive, ArrayView<const std::int64_t> labels,
                               const std::vector<std::string>& groups, const EvaluationPlan& plan);

/// Coverages and risk targets of the selective-prediction tables.
inline constexpr double kCoverages[] = {0.5, 0.7, 0.8, 0.9, 1.0};
inline constexpr double kRiskTargets[] = {0.01, 0.02, 0.05, 0.1};

}  // namespace cubcal
