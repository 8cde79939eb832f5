#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cubcal/audit/audit.h"
#include "cubcal/calibration/one_temperature.h"
#include "cubcal/metrics/bootstrap.h"
#include "cubcal/metrics/detection_intervals.h"
#include "cubcal/report/objective_map.h"
#include "cubcal/report/referral.h"
#include "cubcal/report/run_input.h"

namespace cubcal::report {

/// What a calibration makes of the test samples.
struct PostHoc {
  Calibration calibration;
  bool fitted_here = false;           ///< on the run's validation logits, else read from a file
  std::vector<std::string> warnings;  ///< a sentence each: optimum on a bound, empty region, ...
  SampleFacts facts;
  MetricValues values;
  std::size_t changed_predictions = 0;
};

/// How well one score tells outliers apart.
struct DetectionRow {
  std::string name;
  std::vector<double> id_scores;
  std::vector<double> ood_scores;
  DetectionResult result;
  bool in_chart = true;  ///< or only in the table, where its curve would lie on another
};

/// How many there are in one of the sets of a run.
struct SampleSet {
  std::string name;
  std::size_t samples = 0;
  std::optional<std::size_t> groups;  ///< nothing where they are not named
};

/// A run with everything worked out that the page shows; the logits are no longer needed.
struct RunResult {
  std::string label;
  std::string source;  ///< the folder or file it comes from
  std::string folder;
  std::string advice_on_validation;  ///< how it gets validation logits; empty: nothing is said
  ModelFacts record;
  std::optional<DeployedModel> deployed;
  std::vector<CardRow> inputs;  ///< the files it was made from
  std::vector<SampleSet> sets;
  /// Groups and files that are both in test and validation; nothing where one names none.
  std::optional<std::size_t> shared_groups;
  std::optional<std::size_t> shared_files;
  std::vector<std::string> class_names;
  std::size_t passes = 0;
  std::vector<std::string> groups;
  std::vector<std::string> files;
  SampleFacts facts;
  MetricValues values;
  MetricIntervals intervals;
  std::optional<double> error_auroc;  ///< see auroc_of_errors()
  std::vector<ScaledValues> scaled;   ///< by one temperature; only where there are several runs
  std::vector<PostHoc> post_hoc;
  /// The calibration shown beside no calibration; of a model in use, what it applies.
  std::optional<std::size_t> chosen;
  std::optional<ObjectiveMap> objective;
  std::optional<SampleFacts> validation;
  Referral referral;
  std::optional<std::size_t> outliers;  ///< how many there are
  double outliers_answered = 0;         ///< share of them that the referral would answer
  std::vector<DetectionRow> detection;
  std::vector<DetectorRecord> detectors;
  std::vector<EpochRecord> epochs;
  std::vector<SampleColumn> columns;
  std::optional<Audit> audit;  ///< of those columns, once add_audit() was called

  RunStudies studies;  ///< what the options asked for besides

  bool label_given = false;         ///< by whoever asked for the report
  bool validation_is_test = false;  ///< one file was given for both
  bool has_class_names = false;     ///< of its own; else they are numbers
  bool other_images = false;        ///< than those of the first run, by `files`
  bool is_advised = false;  ///< `chosen` on held-out validation images, where it may be none

  const PostHoc* chosen_calibration() const { return chosen ? &post_hoc[*chosen] : nullptr; }
  const PostHoc* find(CalibrationMethod method) const;
  /// Those that charts show: dts, as the paper does, and the chosen one; of a model in use, its
  /// own.
  std::vector<const PostHoc*> shown_calibrations() const;
  /// What the model in use applies; none where it applies nothing or none is in use.
  const PostHoc* calibration_in_use() const {
    return deployed && deployed->calibration ? chosen_calibration() : nullptr;
  }
  /// U above which the model in use refers; nothing where none is in use or sets decide.
  std::optional<double> referral_in_use() const;
};

/// Chance that a wrong answer is more uncertain than a right one; nothing where either is missing.
std::optional<double> auroc_of_errors(const SampleFacts& facts);

/// Calibrations that the run has none of are fitted on its validation logits. Errors name the file.
RunResult analyse(RunInput input, const ReportOptions& options);

/// Works the subgroups out; nothing without further columns. Of the answers and the threshold of
/// the model in use, else of the network's own and the page's threshold.
/// Apart from the rest, since it takes longest and is shown for the first run of a method only.
void add_audit(RunResult& run, const ReportOptions& options);

}  // namespace cubcal::report
