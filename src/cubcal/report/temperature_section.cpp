#include <algorithm>
#include <cmath>

#include "cubcal/core/words.h"
#include "cubcal/plot/svg.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

namespace {

/// "0.5 (0.5 to 1)": a temperature and where it was searched.
std::string temperature_text(double temperature, const TemperatureBox& box) {
  return fixed(temperature, 2) + " (" + plot::readable_number(box.low) + " to " +
         plot::readable_number(box.high) + ")";
}

std::string post_hoc_table(const RunResult& run) {
  constexpr Metric kShown[] = {Metric::kAccuracy, Metric::kNll, Metric::kEce,   Metric::kUce,
                               Metric::kBcce,     Metric::kAvu, Metric::kDeltaU};
  std::vector<std::string> header{"Calibration", "T high (box)", "T low (box)"};
  for (const Metric metric : kShown) {
    const MetricInfo& info = info_of(metric);
    // The table is wide: a label may stand above its unit.
    header.push_back(std::string(info.label) +
                     (info.unit == MetricUnit::kPercent ? " %\u00a0" : " ") +
                     (info.better > 0 ? "↑" : "↓"));
  }
  header.push_back("changed");
  Table table(
      header,
      "Test images. Temperatures come from validation images, each within its box; changed counts "
      "answers that became others.");
  const auto add = [&](std::vector<std::string> cells, const MetricValues& values,
                       std::size_t changed) {
    for (const Metric metric : kShown)
      cells.push_back(metric_text(info_of(metric), values[metric]));
    cells.push_back(grouped(changed));
    table.add(cells);
  };
  add({"none", "1", "1"}, run.values, 0);
  for (const PostHoc& each : run.post_hoc) {
    const Calibration& fit = each.calibration;
    add({std::string(method_name(fit.method)) + (&each != run.chosen_calibration() ? ""
                                                 : run.deployed                    ? " (in use)"
                                                 : run.is_advised                  ? " (advised)"
                                                                                   : " (shown)"),
         temperature_text(fit.t_high, fit.box_high), temperature_text(fit.t_low, fit.box_low)},
        each.values, each.changed_predictions);
  }
  return table.html();
}

/// On a grid in ln T the map is drawn in steps of the grid.
double place(double temperature, const std::vector<double>& grid) {
  const double step = std::log(grid[1] / grid[0]);
  return std::log(temperature / grid.front()) / step;
}

plot::Ticks ticks(const std::vector<double>& grid) {
  plot::Ticks result;
  for (const double t : {0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
    const double at = place(t, grid);
    if (at < -0.01 || at > static_cast<double>(grid.size()) - 0.99) continue;
    result.values.push_back(at);
    result.labels.push_back(plot::readable_number(t));
  }
  return result;
}

void draw_fit(plot::Chart& chart, const ObjectiveMap& map, const PostHoc* fit,
              plot::Stroke stroke) {
  if (!fit) return;
  const Calibration& each = fit->calibration;
  const double last_high = static_cast<double>(map.t_high.size()) - 0.5;
  const double last_low = static_cast<double>(map.t_low.size()) - 0.5;
  const double left = std::max(-0.5, place(each.box_high.low, map.t_high));
  const double right = std::min(last_high, place(each.box_high.high, map.t_high));
  const double bottom = std::max(-0.5, place(each.box_low.low, map.t_low));
  const double top = std::min(last_low, place(each.box_low.high, map.t_low));
  const std::string name = method_name(each.method);
  chart.line({"box of " + name,
              {left, right, right, left, left},
              {bottom, bottom, top, top, bottom},
              plot::Colour::kSky,
              stroke,
              2.0});
  plot::ScatterSeries dot;
  dot.name = name + " (" + plot::readable_number(each.t_high) + ", " +
             plot::readable_number(each.t_low) + ")";
  dot.x = {std::clamp(place(each.t_high, map.t_high), -0.5, last_high)};
  dot.y = {std::clamp(place(each.t_low, map.t_low), -0.5, last_low)};
  dot.colour = stroke == plot::Stroke::kSolid ? plot::Colour::kVermillion : plot::Colour::kPurple;
  dot.radius = 5;
  dot.opacity = 1;
  chart.scatter(std::move(dot));
}

/// Where between two neighbours on the grid a value reaches the bound.
double crossing(double at_first, double at_second, double bound) {
  return (bound - at_first) / (at_second - at_first);
}

/// The line on which NLL exceeds that of T = 1 by the tolerance, from the bottom of the map to its
/// right edge.
void draw_guard(plot::Chart& chart, const ObjectiveMap& map, double tolerance) {
  const double bound = (1 + tolerance) * map.nll_at_one;
  const std::size_t last = map.t_high.size() - 1;
  plot::LineSeries line;
  line.name = "NLL " + percent(tolerance, 0) + " above that of T = 1";
  line.colour = plot::Colour::kOrange;
  line.stroke = plot::Stroke::kDashed;
  line.width = 2;
  for (std::size_t j = 0; j < map.t_low.size(); ++j) {
    const auto nll = [&](std::size_t i) { return map.nll[map.index(j, i)]; };
    if (nll(last) > bound) {
      const double below = map.nll[map.index(j - 1, last)];
      line.x.push_back(static_cast<double>(last));
      line.y.push_back(static_cast<double>(j - 1) + crossing(below, nll(last), bound));
      break;
    }
    std::size_t i = last;
    while (i > 0 && nll(i - 1) <= bound) --i;
    line.x.push_back(static_cast<double>(i) - (i > 0 ? crossing(nll(i), nll(i - 1), bound) : 0));
    line.y.push_back(static_cast<double>(j));
  }
  chart.line(std::move(line));
}

plot::Chart map_chart(const ObjectiveMap& map, const std::vector<double>& values,
                      const std::string& name, const std::string& title, double factor) {
  plot::ChartOptions options;
  options.title = title;
  options.description = title + " on validation images over the two temperatures.";
  options.x_label = "*T*_{high}, of answers to sharpen";
  options.y_label = "*T*_{low}, of answers to soften";
  options.width = 480;
  options.height = 430;
  options.grid = false;
  options.x_ticks = ticks(map.t_high);
  options.y_ticks = ticks(map.t_low);
  options.legend = plot::LegendPlace::kBelow;
  plot::Chart chart(options);
  plot::HeatMap cells;
  cells.name = name;
  cells.rows = map.t_low.size();
  cells.columns = map.t_high.size();
  for (std::size_t j = 0; j < cells.rows; ++j) {
    for (std::size_t i = 0; i < cells.columns; ++i) {
      const double value = factor * values[map.index(j, i)];
      cells.values.push_back(value);
      cells.cell_notes.push_back("T_high " + plot::readable_number(map.t_high[i]) + ", T_low " +
                                 plot::readable_number(map.t_low[j]) + ": " + name + " " +
                                 fixed(value, 3));
    }
  }
  chart.heat_map(std::move(cells));
  return chart;
}

std::string map_row(const RunResult& run, Figures& figures) {
  const ObjectiveMap& map = *run.objective;
  const PostHoc* dts = run.find(CalibrationMethod::kDts);
  const PostHoc* guarded = run.find(CalibrationMethod::kDtsGuarded);
  const double tolerance = guarded ? guarded->calibration.nll_tolerance.value_or(0.02) : 0.02;
  plot::Chart bcce = map_chart(map, map.bcce, "BCCE %", "The objective: BCCE", 100);
  draw_fit(bcce, map, dts, plot::Stroke::kSolid);
  draw_fit(bcce, map, guarded, plot::Stroke::kDotted);
  const auto corner = map.index(map.t_low.size() - 1, 0);
  const auto start = map.index(0, map.t_high.size() - 1);
  std::string row =
      figures.figure(bcce,
                     "From " + percent(map.bcce[start], 2) + " at T = 1 (lower right) to " +
                         percent(map.bcce[corner], 2) +
                         " at the upper left: dark is where the objective "
                         "leads when nothing bounds it.",
                     "temperatures, BCCE");
  if (map.nll.empty()) return row;
  plot::Chart nll = map_chart(map, map.nll, "NLL", "Its price: NLL", 1);
  draw_guard(nll, map, tolerance);
  draw_fit(nll, map, dts, plot::Stroke::kSolid);
  draw_fit(nll, map, guarded, plot::Stroke::kDotted);
  row += figures.figure(nll,
                        "From " + fixed(map.nll_at_one, 3) + " at T = 1 to " +
                            fixed(map.nll[corner], 3) +
                            " at the upper left. dts stays in its box; dts-guarded may go "
                            "further, but not past the dashed line.",
                        "temperatures, NLL");
  return row;
}

}  // namespace

std::string temperature_section(const RunResult& run, Figures& figures) {
  if (run.post_hoc.empty()) {
    const std::string& advice = run.advice_on_validation;
    return section("Temperatures",
                   paragraph("No calibration was found, and none can be fitted without validation "
                             "logits" +
                             (advice.empty() ? "." : ": " + advice + ".")));
  }
  std::string html = post_hoc_table(run);
  std::string notes;
  std::vector<std::string> fitted;
  for (const PostHoc& each : run.post_hoc) {
    if (each.fitted_here) fitted.push_back(method_name(each.calibration.method));
    for (const std::string& warning : each.warnings) {
      notes += element("li", escaped(std::string(method_name(each.calibration.method)) + ": " +
                                     warning)) +
               "\n";
    }
  }
  if (!fitted.empty()) {
    html += paragraph("Fitted for this report on the validation logits: " + joined(fitted) + ".",
                      "muted");
  }
  if (run.is_advised) {
    const PostHoc* advised = run.chosen_calibration();
    html += paragraph(
        advised
            ? std::string("Advised is ") + method_name(advised->calibration.method) +
                  ": on held-out validation images it has the lowest NLL of those that make no "
                  "judged metric worse."
            : "None is advised: on held-out validation images each of these makes a judged metric "
              "worse, or improves none.",
        "muted");
  }
  if (!notes.empty()) html += "<ul class=\"notes\">" + notes + "</ul>\n";
  if (run.objective) {
    html +=
        paragraph(
            "Why the search is bounded: sharpening certain answers to 1 and softening all others "
            "to 1/K puts every sample on the boundary curve, so that BCCE falls to 0 while the "
            "likelihood of the true classes collapses.") +
        figure_row(map_row(run, figures));
  }
  return section("Temperatures", html);
}

}  // namespace cubcal::report
