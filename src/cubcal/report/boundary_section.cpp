#include <algorithm>

#include "cubcal/plot/svg.h"
#include "cubcal/report/boundary_figure.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"
#include "cubcal/report/shown_path.h"
#include "cubcal/report/thinning.h"

namespace cubcal::report {

namespace {

std::string sample_note(const RunResult& run, const SampleFacts& facts, std::uint32_t i) {
  std::string name = run.files.empty() ? "sample " + std::to_string(i) : shown_path(run.files[i]);
  std::replace(name.begin(), name.end(), '\n', ' ');
  const std::string& label = run.class_names[static_cast<std::size_t>(facts.labels[i])];
  const std::string& called = run.class_names[static_cast<std::size_t>(facts.predicted[i])];
  return name + ": " + (facts.correct[i] ? label : "called " + called + ", is " + label);
}

void draw_samples(plot::Chart& chart, const RunResult& run, const SampleFacts& facts,
                  const std::vector<std::uint32_t>& shown, bool correct) {
  plot::ScatterSeries dots;
  dots.name = correct ? "right" : "wrong";
  dots.colour = correct ? plot::Colour::kBlue : plot::Colour::kVermillion;
  dots.radius = correct ? 1.6 : 2.6;
  dots.opacity = correct ? 0.45 : 0.8;
  for (const std::uint32_t i : shown) {
    // A calibration can turn a wrong answer into a right one: each stays with what it is now.
    if ((facts.correct[i] != 0) != correct) continue;
    dots.x.push_back(facts.confidence[i]);
    dots.y.push_back(facts.entropy[i]);
    dots.notes.push_back(sample_note(run, facts, i));
  }
  chart.scatter(std::move(dots));
}

std::string samples_figure(const RunResult& run, const SampleFacts& facts, const Thinned& shown,
                           const std::string& title, Figures& figures) {
  plot::Chart chart = boundary_curve_chart(facts.classes, facts.options.gamma, plot::literal(title),
                                           plot::Colour::kInk);
  std::vector<std::uint32_t> all = shown.right;
  all.insert(all.end(), shown.wrong.begin(), shown.wrong.end());
  draw_samples(chart, run, facts, all, true);
  draw_samples(chart, run, facts, all, false);
  const MetricValues values = metric_values(facts);
  return figures.figure(chart,
                        "AvU " + fixed(*values[Metric::kAvu], 3) + ", BCCE " +
                            percent(*values[Metric::kBcce], 2) + ".",
                        "boundary " + title);
}

}  // namespace

std::string boundary_section(const RunResult& run, const ReportOptions& options, Figures& figures) {
  const Thinned shown = thinned_samples(run.facts, options.scatter_points);
  std::string row = samples_figure(run, run.facts, shown, "Before calibration", figures);
  const PostHoc* dts = run.find(CalibrationMethod::kDts);
  const auto after = [&](const PostHoc& each) {
    return samples_figure(run, each.facts, shown,
                          std::string("After ") + method_name(each.calibration.method), figures);
  };
  for (const PostHoc* each : run.shown_calibrations()) row += after(*each);
  const Thresholds thresholds =
      dts ? dts->calibration.thresholds
          : thresholds_from_eta(options.metrics.uncertainty_threshold, run.facts.classes);
  row += figures.figure(scaling_region_chart(run.facts.classes, thresholds, "Scaling regions"),
                        "Which predictions dual temperature scaling (DTS) sharpens and which it "
                        "softens, told by the unscaled prediction alone.",
                        "scaling regions");
  std::string text =
      "Every test image lies between the least and the largest entropy that its confidence allows. "
      "Certain answers should lie low and at the right, doubtful ones on the upper bound; a wrong "
      "answer at the lower right is a mistake made with certainty.";
  if (!shown.is_whole()) {
    text += " Shown are " + grouped(shown.right.size()) + " of " + grouped(shown.all_right) +
            " right and " + grouped(shown.wrong.size()) + " of " + grouped(shown.all_wrong) +
            " wrong answers, spread evenly over the order of uncertainty; the same ones in every "
            "chart.";
  }
  return section("Confidence and uncertainty", paragraph(text) + figure_row(row));
}

}  // namespace cubcal::report
