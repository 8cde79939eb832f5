#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

struct EpochCurve {
  std::string name;  ///< in the legend
  std::string key;   ///< in metrics.jsonl
  plot::Stroke stroke = plot::Stroke::kSolid;
};

/// Draws the curves that have any value other than 0; nothing where none has.
std::string curve_figure(const std::vector<EpochRecord>& epochs, const std::string& title,
                         const char* y_label, const std::vector<EpochCurve>& curves,
                         std::int64_t stage, Figures& figures) {
  plot::ChartOptions options;
  options.title = plot::literal(title);
  options.description = title + " after each epoch.";
  options.x_label = "epoch";
  options.y_label = y_label;
  options.width = 340;
  options.height = 290;
  options.legend = plot::LegendPlace::kBelow;
  plot::Chart chart(options);
  bool has_any = false;
  for (const EpochCurve& curve : curves) {
    plot::LineSeries line;
    line.name = curve.name;
    line.stroke = curve.stroke;
    bool is_telling = false;
    for (const EpochRecord& epoch : epochs) {
      const std::map<std::string, double> values = epoch.values();
      const auto found = values.find(curve.key);
      if (found == values.end()) continue;
      line.x.push_back(static_cast<double>(epoch.epoch));
      line.y.push_back(found->second);
      is_telling = is_telling || found->second != 0;
    }
    if (!is_telling) continue;
    chart.line(std::move(line));
    has_any = true;
  }
  if (!has_any) return {};
  return figures.figure(chart, "", "training, stage " + std::to_string(stage) + ", " + title);
}

/// The loss's terms besides cross entropy and KL.
std::vector<EpochCurve> term_curves(const std::vector<EpochRecord>& epochs) {
  std::vector<EpochCurve> curves;
  for (const auto& [key, title] : epochs.front().terms) curves.push_back({title, key});
  return curves;
}

std::string stage_row(const std::vector<EpochRecord>& epochs, Figures& figures) {
  const std::int64_t stage = epochs.front().stage;
  return figure_row(
      curve_figure(epochs, "Loss", "per sample",
                   {{"loss", "loss"},
                    {"cross-entropy", "cross_entropy"},
                    {"KL", "kl"},
                    {"NLL of validation", "validation.nll", plot::Stroke::kDashed}},
                   stage, figures) +
          curve_figure(epochs, "Accuracy and AvU", "share",
                       {{"training accuracy", "train_accuracy"},
                        {"validation accuracy", "validation.accuracy", plot::Stroke::kDashed},
                        {"balanced accuracy of validation", "validation.balanced_accuracy",
                         plot::Stroke::kDotted},
                        {"AvU of validation", "validation.avu", plot::Stroke::kDashed}},
                       stage, figures) +
          curve_figure(epochs, "Calibration errors of validation", "share",
                       {{"ECE", "validation.ece"},
                        {"UCE", "validation.uce", plot::Stroke::kDashed},
                        {"BCCE", "validation.bcce", plot::Stroke::kDotted}},
                       stage, figures) +
          curve_figure(epochs, "Loss of uncertainty", "unweighted", term_curves(epochs), stage,
                       figures),
      "small row");
}

}  // namespace

std::string training_section(const RunResult& run, Figures& figures) {
  if (run.epochs.empty()) return {};
  std::string html;
  const std::int64_t stages = run.epochs.back().stage;
  for (std::int64_t stage = 1; stage <= stages; ++stage) {
    std::vector<EpochRecord> epochs;
    for (const EpochRecord& epoch : run.epochs) {
      if (epoch.stage == stage) epochs.push_back(epoch);
    }
    if (epochs.empty()) continue;
    if (stages > 1) html += element("h4", "Stage " + std::to_string(stage)) + "\n";
    html += stage_row(epochs, figures);
  }
  return section("Training", html);
}

}  // namespace cubcal::report
