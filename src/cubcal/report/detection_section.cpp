#include <algorithm>

#include "cubcal/report/detection_curves.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

constexpr plot::Stroke kStrokes[] = {plot::Stroke::kSolid, plot::Stroke::kDashed,
                                     plot::Stroke::kDotted};

plot::ChartOptions unit_axes(const char* title, const char* description) {
  plot::ChartOptions options;
  options.title = title;
  options.description = description;
  options.x_min = options.y_min = 0;
  options.x_max = options.y_max = 1;
  options.width = 480;
  options.height = 400;
  options.legend = plot::LegendPlace::kBelow;
  return options;
}

std::string curves(const RunResult& run, Figures& figures) {
  plot::ChartOptions roc_axes = unit_axes("ROC", "Share of outliers caught against false alarms.");
  roc_axes.x_label = "false alarms: share of ID images";
  roc_axes.y_label = "share of outliers caught";
  plot::Chart roc(roc_axes);
  plot::ChartOptions pr_axes = unit_axes("Precision and recall", "Precision against recall.");
  pr_axes.x_label = "recall: share of outliers caught";
  pr_axes.y_label = "precision: share of alarms that are right";
  plot::Chart pr(pr_axes);
  roc.line({"chance", {0, 1}, {0, 1}, plot::Colour::kMuted, plot::Stroke::kDashed, 1.0});
  std::size_t drawn = 0;
  for (const DetectionRow& row : run.detection) {
    if (!row.in_chart) continue;
    const plot::Stroke stroke = kStrokes[drawn++ % 3];
    const DetectionCurves both = detection_curves(row.id_scores, row.ood_scores);
    roc.line({row.name, both.false_alarms, both.caught, plot::Colour::kAuto, stroke});
    pr.line({row.name, both.recall, both.precision, plot::Colour::kAuto, stroke});
  }
  const auto outliers = static_cast<double>(*run.outliers);
  const double share = outliers / (outliers + static_cast<double>(run.facts.samples));
  pr.line({"chance", {0, 1}, {share, share}, plot::Colour::kMuted, plot::Stroke::kDashed, 1.0});
  return figure_row(figures.figure(roc, "", "OOD, ROC") +
                    figures.figure(pr, "", "OOD, precision and recall"));
}

std::string with_interval(double value, const Interval& interval) {
  return in_percent(value) + " (" + in_percent(interval.low) + " to " + in_percent(interval.high) +
         ")";
}

std::string score_table(const RunResult& run) {
  Table table({"Score", "AUROC %", "AUPR %", "FPR at 95% TPR %"},
              "Scores that need nothing but logits, with 95% bootstrap intervals. Outliers are "
              "positive.");
  for (const DetectionRow& row : run.detection) {
    const DetectionResult& result = row.result;
    table.add({row.name, with_interval(result.metrics.auroc, result.auroc),
               with_interval(result.metrics.aupr, result.aupr),
               with_interval(result.metrics.fpr95, result.fpr95)});
  }
  return table.html();
}

std::string share_text(const Measured& share) {
  if (!share.interval) return in_percent(*share.value);
  return with_interval(*share.value, Interval{share.interval->first, share.interval->second, 0});
}

std::string detector_table(const std::vector<DetectorRecord>& detectors) {
  std::vector<std::string> header{"Detector", "AUROC %", "AUPR %", "FPR at 95% TPR %"};
  const std::vector<DetectorRecord::Category>& categories = detectors.front().categories;
  for (const DetectorRecord::Category& category : categories) {
    header.push_back("AUROC % against " + category.name);
  }
  Table table(header, "Detectors of outliers, fitted on training images.");
  for (const DetectorRecord& row : detectors) {
    std::vector<std::string> cells{row.title, share_text(row.all.auroc),
                                   in_percent(*row.all.aupr.value),
                                   in_percent(*row.all.fpr95.value)};
    for (const DetectorRecord::Category& category : categories) {
      const auto found = std::find_if(row.categories.begin(), row.categories.end(),
                                      [&](const auto& each) { return each.name == category.name; });
      cells.push_back(found == row.categories.end() ? "–"
                                                    : in_percent(*found->detection.auroc.value));
    }
    table.add(cells);
  }
  return table.html();
}

}  // namespace

std::string detection_section(const RunResult& run, Figures& figures) {
  if (run.detection.empty() && run.detectors.empty()) return {};
  std::string html;
  if (!run.detection.empty()) {
    html += paragraph(counted(*run.outliers, "image") + " of no class against " +
                      counted(run.facts.samples, "test image") + ".") +
            curves(run, figures) + score_table(run);
  }
  if (!run.detectors.empty()) html += detector_table(run.detectors);
  return section("Images of no class (OOD)", html);
}

}  // namespace cubcal::report
