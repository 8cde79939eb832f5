#include <cmath>

#include "cubcal/metrics/calibration_error.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

plot::ReliabilitySeries series_of(const CalibrationError& error, const char* name,
                                  const char* gap_name) {
  plot::ReliabilitySeries series;
  series.name = name;
  series.gap_name = gap_name;
  series.edges.push_back(error.bins.front().low);
  for (const ReliabilityBin& bin : error.bins) {
    series.edges.push_back(bin.high);
    series.observed.push_back(bin.mean_observed);
    series.expected.push_back(bin.mean_target);
    series.count.push_back(static_cast<std::size_t>(bin.count));
  }
  return series;
}

plot::ChartOptions axes(const std::string& title, const char* description, const char* y_label) {
  plot::ChartOptions options;
  options.title = plot::literal(title);
  options.description = description;
  options.x_label = "confidence *c*";
  options.y_label = y_label;
  options.x_min = 0;
  options.x_max = 1;
  options.y_min = 0;
  options.width = 480;
  options.height = 350;
  options.legend = plot::LegendPlace::kBelow;
  return options;
}

std::string confidence_figure(const SampleFacts& facts, const std::string& title,
                              Figures& figures) {
  const CalibrationError error = expected_calibration_error(facts);
  plot::ChartOptions options =
      axes(title, "Accuracy in bins of confidence. Bars should end on the diagonal.", "accuracy");
  options.y_max = 1;
  plot::Chart chart(options);
  chart.reliability(series_of(error, "accuracy", "gap to mean confidence"));
  chart.line({"honest confidence", {0, 1}, {0, 1}, plot::Colour::kInk, plot::Stroke::kDashed, 1.0});
  return figures.figure(chart, "ECE " + percent(error.value, 2) + ".", "reliability of " + title);
}

std::string boundary_figure_of(const SampleFacts& facts, const std::string& title,
                               Figures& figures) {
  const CalibrationError error = boundary_curve_calibration_error(facts);
  plot::ChartOptions options =
      axes(title, "Mean entropy in bins of confidence, against the boundary curve.",
           "mean entropy *U* (nats)");
  options.y_max = std::log(static_cast<double>(facts.classes));
  plot::Chart chart(options);
  plot::ReliabilitySeries series = series_of(error, "mean entropy", "gap to the boundary curve");
  series.colour = plot::Colour::kGreen;
  chart.reliability(std::move(series));
  return figures.figure(
      chart, "BCCE " + percent(error.value, 2) + " (the mean gap in nats, as a percentage).",
      "reliability of " + title);
}

}  // namespace

std::string reliability_section(const RunResult& run, Figures& figures) {
  std::string row = confidence_figure(run.facts, "Confidence, before calibration", figures);
  const PostHoc* chosen = run.chosen_calibration();
  const std::string after =
      chosen ? std::string(", after ") + method_name(chosen->calibration.method) : "";
  if (chosen) row += confidence_figure(chosen->facts, "Confidence" + after, figures);
  row += boundary_figure_of(run.facts, "Boundary curve, before calibration", figures);
  if (chosen) row += boundary_figure_of(chosen->facts, "Boundary curve" + after, figures);
  return section(
      "Reliability",
      paragraph("Bars show what was observed, frames how far that is from what an honest "
                "model would show; bins without samples are left out.") +
          figure_row(row));
}

}  // namespace cubcal::report
