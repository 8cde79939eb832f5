#include "evaluation_text.h"

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/metrics/classification.h"
#include "cubcal/metrics/selective.h"
#include "metric_options.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

std::string percent_cell(const std::optional<double>& share) {
  return share ? in_percent(*share) : "–";
}

void print_metrics(std::ostream& out, const Evaluation& evaluation) {
  std::vector<std::string> header{"", "value", ""};
  if (evaluation.bootstrap) {
    header.push_back(significant(100 * evaluation.bootstrap->level, 6) + "% interval");
  }
  TextTable table(header);
  for (const MetricInfo& info : metric_infos()) {
    if (info.unit == MetricUnit::kCount) continue;
    std::vector<std::string> row{info.label, metric_text(info.unit, evaluation.values[info.metric]),
                                 unit_text(info.unit)};
    if (evaluation.bootstrap) {
      row.push_back(
          interval_text(info.unit, evaluation.intervals[static_cast<std::size_t>(info.metric)]));
    }
    table.add(row);
  }
  out << table;
}

void print_states(std::ostream& out, const Evaluation& evaluation) {
  const auto count = [&](Metric metric) { return fixed(*evaluation.values[metric], 0); };
  const std::string threshold = to_text(evaluation.facts.options.uncertainty_threshold) + " nats";
  out << "\nAnswers by correctness and uncertainty\n";
  TextTable table({"", "certain (U ≤ " + threshold + ")", "uncertain"});
  table.add({"right", count(Metric::kAccurateCertain), count(Metric::kAccurateUncertain)});
  table.add({"wrong", count(Metric::kInaccurateCertain), count(Metric::kInaccurateUncertain)});
  out << table;
}

void print_classes(std::ostream& out, const Evaluation& evaluation) {
  const std::vector<ClassRow> rows = class_table(evaluation.facts);
  TextTable table({"class", "samples", "recall %", "precision %", "F1 %", "mean U"});
  const std::size_t shown = std::min(rows.size(), kMostClassesShown);
  for (std::size_t k = 0; k < shown; ++k) {
    table.add({evaluation.class_names[k], std::to_string(rows[k].support),
               percent_cell(rows[k].recall), percent_cell(rows[k].precision),
               percent_cell(rows[k].f1),
               rows[k].mean_uncertainty ? fixed(*rows[k].mean_uncertainty, 3) : "–"});
  }
  out << "\nBy class\n" << table;
  if (shown < rows.size()) {
    out << "  … and " << rows.size() - shown << " more classes (all of them with --json)\n";
  }
}

void print_selective(std::ostream& out, const SampleFacts& facts) {
  std::vector<std::string> header{"answering the most certain"};
  std::vector<std::string> by_uncertainty{"accuracy %, by uncertainty"};
  std::vector<std::string> by_confidence{"accuracy %, by confidence"};
  const auto risk_by = [&](Certainty certainty) { return risk_coverage(facts, certainty); };
  const std::vector<double> entropy_risk = risk_by(Certainty::kEntropy);
  const std::vector<double> confidence_risk = risk_by(Certainty::kConfidence);
  for (const double coverage : kCoverages) {
    header.push_back(percent(coverage, 0));
    by_uncertainty.push_back(in_percent(accuracy_at_coverage(entropy_risk, coverage)));
    by_confidence.push_back(in_percent(accuracy_at_coverage(confidence_risk, coverage)));
  }
  TextTable table(header);
  table.add(by_uncertainty);
  table.add(by_confidence);
  out << "\nReferring the uncertain\n" << table;
}

void print_detection(std::ostream& out, const Detection& detection) {
  TextTable table({"score", "AUROC %", "AUPR %", "FPR95 %"});
  for (const DetectionRow& row : detection.rows) {
    if (!row.metrics) continue;
    table.add({row.label, in_percent(row.metrics->auroc), in_percent(row.metrics->aupr),
               in_percent(row.metrics->fpr95)});
  }
  out << "\nTelling out-of-distribution apart: " << detection.title << '\n' << table;
}

/// Of the rows that print_metrics and print_clinical show.
bool is_any_outside(const Evaluation& evaluation) {
  for (const MetricInfo& info : metric_infos()) {
    if (info.unit == MetricUnit::kCount) continue;
    const auto m = static_cast<std::size_t>(info.metric);
    if (is_outside(evaluation.values[info.metric], evaluation.intervals[m])) return true;
  }
  if (!evaluation.clinical || !evaluation.clinical->intervals) return false;
  for (std::size_t m = 0; m < kClinicalCount; ++m) {
    if (is_outside(evaluation.clinical->values.overall[m],
                   evaluation.clinical->intervals->overall[m])) {
      return true;
    }
  }
  return false;
}

}  // namespace

bool is_outside(const std::optional<double>& value, const std::optional<Interval>& interval) {
  return value && interval && (*value < interval->low || *value > interval->high);
}

void print_outside_note(std::ostream& out, bool is_any_outside) {
  if (!is_any_outside) return;
  out << "An interval that does not hold its value: errors measured in bins grow with chance, "
         "which "
         "resampling\nadds once more (the bias of the bootstrap), so that such an interval lies "
         "too "
         "high.\n";
}

void print_evaluation(std::ostream& out, const Evaluation& evaluation) {
  out << evaluation.title << '\n';
  if (evaluation.calibration) {
    out << "calibrated with " << evaluation.calibration->method << '\n';
  }
  out << '\n';
  print_metrics(out, evaluation);
  print_states(out, evaluation);
  print_classes(out, evaluation);
  print_selective(out, evaluation.facts);
  if (evaluation.clinical) print_clinical(out, evaluation);
  if (evaluation.detection) print_detection(out, *evaluation.detection);
  out << '\n' << convention_text(evaluation.facts.options);
  if (evaluation.bootstrap) {
    out << "; " << evaluation.bootstrap->replicates << " bootstrap replicates by "
        << (evaluation.bootstrap_by_group ? "group" : "sample") << ", seed "
        << evaluation.bootstrap->seed;
  }
  out << ".\n";
  print_outside_note(out, evaluation.bootstrap && is_any_outside(evaluation));
}

}  // namespace cubcal::app
