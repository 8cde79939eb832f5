#include "calibration_choice_text.h"

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

std::string labels_of(const std::vector<Metric>& metrics) {
  std::string text;
  for (const Metric metric : metrics) {
    text += (text.empty() ? "" : ", ") +
            std::string(metric_infos()[static_cast<std::size_t>(metric)].label);
  }
  return text;
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
  if (!choice.on_test.empty()) {
    std::vector<const CalibrationEffect*> on_test;
    for (const CalibrationEffect& each : choice.on_test) on_test.push_back(&each);
    out << "\nTest samples\n" << effects_table(selection.candidates, on_test);
  }
  out << "\n+ and − mark changes for better and worse whose 95% bootstrap interval does not hold 0."
      << "\nA method is judged by " << labels_of({kJudgedMetrics.begin(), kJudgedMetrics.end()})
      << " on held-out\nsamples; errors may rise by up to " << fixed(100 * kNegligibleRise, 0)
      << "% of themselves.\n"
      << convention_text(metrics) << ".\n\n";
  for (const CalibrationCandidate& each : selection.candidates) {
    const std::string worse = labels_of(each.held_out.worse());
    const std::string better = labels_of(each.held_out.better());
    out << "  " << method_name(each.fit.calibration.method) << ": "
        << (better.empty() ? "betters nothing" : "betters " + better)
        << (worse.empty() ? "" : "; worsens " + worse) << '\n';
  }
  if (!selection.best) {
    out << "\nNo method betters anything without making something else significantly worse: leave "
           "these logits as they are.\n";
    return;
  }
  const CalibrationCandidate& best = selection.candidates[*selection.best];
  out << "\nChosen: " << method_name(best.fit.calibration.method)
      << ", of the lowest NLL among the methods that make nothing significantly worse.\n";
  if (choice.on_test.empty()) return;
  const std::string worse = labels_of(choice.on_test[*selection.best].worse());
  if (!worse.empty()) out << "On the test samples it makes worse, all the same: " << worse << ".\n";
}

}  // namespace cubcal::app
