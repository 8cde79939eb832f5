#include "calibration_choice_text.h"

#include <algorithm>

#include "cubcal/core/check.h"
#include "metric_options.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

std::string temperatures_text(const Calibration& calibration) {
  if (is_scalar(calibration.method)) return fixed(calibration.t_high, 3);
  return fixed(calibration.t_high, 3) + ", " + fixed(calibration.t_low, 3);
}

/// The metrics without and with each calibration, with a mark where a change is significant.
TextTable effects_table(const std::vector<CalibrationCandidate>& candidates,
                        const std::vector<const CalibrationEffect*>& effects) {
  std::vector<std::string> header{"", "none  "};
  std::vector<std::string> temperatures{"T, or T_high, T_low", "1  "};
  for (const CalibrationCandidate& candidate : candidates) {
    header.push_back(std::string(method_name(candidate.fit.calibration.method)) + "  ");
    temperatures.push_back(temperatures_text(candidate.fit.calibration) + "  ");
  }
  TextTable table(header);
  table.add(temperatures);
  for (const MetricInfo& info : metric_infos()) {
    if (info.better == 0) continue;
    std::vector<std::string> row{
        metric_heading(info), metric_text(info.unit, effects.front()->before[info.metric]) + "  "};
    for (const CalibrationEffect* effect : effects) {
      const int change = effect->change(info.metric);
      row.push_back(metric_text(info.unit, effect->after[info.metric]) + (change > 0   ? " +"
                                                                          : change < 0 ? " −"
                                                                                       : "  "));
    }
    table.add(row);
  }
  return table;
}

bool is_judged(Metric metric) {
  return std::find(kJudgedMetrics.begin(), kJudgedMetrics.end(), metric) != kJudgedMetrics.end();
}

/// Metrics that no method is judged by and this one makes significantly worse.
std::vector<Metric> worse_unjudged(const CalibrationEffect& effect) {
  std::vector<Metric> metrics;
  for (const MetricInfo& info : metric_infos()) {
    if (!is_judged(info.metric) && effect.change(info.metric) < 0) metrics.push_back(info.metric);
  }
  return metrics;
}

/// "NLL 0.7591 → 0.8272 (+9.0%), AvU 0.6021 → 0.5710": whatever is marked −, and judged errors that
/// rose by more than is negligible.
std::string worsening_text(const CalibrationEffect& effect) {
  std::string text;
  for (const MetricInfo& info : metric_infos()) {
    const std::optional<double>& before = effect.before[info.metric];
    const std::optional<double>& after = effect.after[info.metric];
    if (info.better == 0 || !before || !after) continue;
    const bool is_error = info.better < 0 && *before > 0;
    const double rise = is_error ? *after / *before - 1 : 0;
    const bool is_risen = is_judged(info.metric) && rise > kNegligibleRise;
    if (effect.change(info.metric) >= 0 && !is_risen) continue;
    text += (text.empty() ? "" : ", ") + metric_heading(info) + " " +
            metric_text(info.unit, before) + " → " + metric_text(info.unit, after);
    if (is_error) text += " (+" + in_percent(rise) + "%)";
  }
  return text;
}

std::string labels_of(const std::vector<Metric>& metrics) {
  std::string text;
  for (const Metric metric : metrics) {
    text += (text.empty() ? "" : ", ") +
            std::string(metric_infos()[static_cast<std::size_t>(metric)].label);
  }
  return text;
}

/// Where folds fell back to T = 1 a held-out column says little of the temperatures above it.
void print_unscaled_folds(std::ostream& out, const CalibrationSelection& selection) {
  for (const CalibrationCandidate& each : selection.candidates) {
    const Calibration& calibration = each.fit.calibration;
    if (each.unscaled_folds == 0) continue;
    out << method_name(calibration.method) << ": in " << each.unscaled_folds << " of "
        << selection.folds << " folds "
        << (calibration.nll_tolerance ? "nothing better kept the guard" : "nothing was better")
        << ", so that its held-out column is of T = 1 there.\n";
  }
}

}  // namespace

void print_choice(std::ostream& out, const std::string& title, const CalibrationChoice& choice,
                  const MetricOptions& metrics) {
  const CalibrationSelection& selection = choice.selection;
  out << "Every method fitted on " << title << "\n\nHeld-out validation samples ("
      << selection.samples << " samples, " << selection.folds << " folds"
      << (choice.by_group ? " of whole groups" : "") << ")\n";
  std::vector<const CalibrationEffect*> held_out;
  for (const CalibrationCandidate& each : selection.candidates) held_out.push_back(&each.held_out);
  out << effects_table(selection.candidates, held_out);
  print_unscaled_folds(out, selection);
  if (!choice.on_test.empty()) {
    std::vector<const CalibrationEffect*> on_test;
    for (const CalibrationEffect& each : choice.on_test) on_test.push_back(&each);
    out << "\nTest samples\n" << effects_table(selection.candidates, on_test);
  }
  out << "\n+ and − mark changes for better and worse whose 95% bootstrap interval does not hold 0."
      << "\nHeld-out values are of folds, each with temperatures fitted on the others; AURC is of "
         "the one fit\non all samples, since a ranking compares samples."
      << "\nA method is judged by " << labels_of({kJudgedMetrics.begin(), kJudgedMetrics.end()})
      << " on held-out\nsamples; errors may rise by up to " << in_percent(kNegligibleRise, 0)
      << "% of themselves.\n"
      << convention_text(metrics) << ".\n\n";
  for (const CalibrationCandidate& each : selection.candidates) {
    const std::string worse = labels_of(each.held_out.worse());
    const std::string better = labels_of(each.held_out.better());
    out << "  " << method_name(each.fit.calibration.method) << ": "
        << (better.empty() ? "improves nothing" : "improves " + better)
        << (worse.empty() ? "" : "; worsens " + worse) << '\n';
  }
  if (!selection.best) {
    out << "\nNo method improves anything without making something else significantly worse: leave "
           "these logits as they are.\n";
    return;
  }
  const CalibrationCandidate& best = selection.candidates[*selection.best];
  out << "\nChosen: " << method_name(best.fit.calibration.method)
      << ", of the lowest NLL among the methods that significantly worsen none of the "
      << kJudgedMetrics.size() << " judged metrics.\n";
  const std::string unjudged = labels_of(worse_unjudged(best.held_out));
  if (!unjudged.empty()) out << "Of what is not judged it worsens " << unjudged << ".\n";
  if (choice.on_test.empty()) return;
  const std::string worse = worsening_text(choice.on_test[*selection.best]);
  if (!worse.empty()) out << "On the test samples it makes worse, all the same: " << worse << ".\n";
}

}  // namespace cubcal::app
