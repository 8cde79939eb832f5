#include <algorithm>
#include <cmath>

#include "cubcal/plot/svg.h"
#include "cubcal/report/method_differences.h"
#include "cubcal/report/numbers.h"
#include "cubcal/report/sections.h"
#include "cubcal/results/price_chart.h"

namespace cubcal::report {

namespace {

constexpr Metric kCompared[] = {Metric::kAccuracy, Metric::kBalancedAccuracy,
                                Metric::kAvu,      Metric::kDeltaU,
                                Metric::kNll,      Metric::kBrier,
                                Metric::kEce,      Metric::kUce,
                                Metric::kBcce,     Metric::kAurc};

std::string heading_of(const MetricInfo& info) {
  std::string text = info.label;
  text[0] = static_cast<char>(text[0] >= 'a' && text[0] <= 'z' ? text[0] - 'a' + 'A' : text[0]);
  if (info.unit == MetricUnit::kPercent) text += "\u00a0%";
  return text + (info.better > 0 ? "\u00a0↑" : info.better < 0 ? "\u00a0↓" : "");
}

std::optional<Spread> spread_over(const Method& method, Metric metric) {
  std::vector<std::optional<double>> values;
  for (const RunResult* run : method.runs) values.push_back(run->values[metric]);
  return spread_of(values);
}

/// The method with the best mean; nothing where there is no better or only one.
std::optional<std::size_t> best_method(const std::vector<Method>& methods, Metric metric) {
  const int better = info_of(metric).better;
  std::optional<std::size_t> best;
  double best_mean = 0;
  for (std::size_t m = 0; better != 0 && methods.size() > 1 && m < methods.size(); ++m) {
    const std::optional<Spread> spread = spread_over(methods[m], metric);
    if (!spread || (best && better * (spread->mean - best_mean) <= 0)) continue;
    best = m;
    best_mean = spread->mean;
  }
  return best;
}

std::string metric_table(const std::vector<Method>& methods) {
  std::vector<std::string> header{"Metric"};
  bool has_repeats = false;
  for (const Method& method : methods) {
    const std::size_t runs = method.runs.size();
    header.push_back(method.label + (runs > 1 ? " (" + std::to_string(runs) + " runs)" : ""));
    has_repeats = has_repeats || runs > 1;
  }
  std::string caption = "Test images, no calibration.";
  if (has_repeats) caption += " Mean ± standard deviation over runs.";
  const bool is_ranked = methods.size() > 1 && have_same_images(methods);
  if (is_ranked) caption += " Bold: the best mean, however small its lead.";
  if (methods.size() > 1 && !is_ranked) {
    caption +=
        " These methods were not tested on the same images, so that none is called best: what "
        "they differ by is also a difference of images.";
  }
  Table table(header, caption);
  for (const Metric metric : kCompared) {
    const MetricInfo& info = info_of(metric);
    std::vector<std::string> cells{heading_of(info)};
    for (const Method& method : methods) {
      cells.push_back(spread_text(info, spread_over(method, metric)));
    }
    const std::optional<std::size_t> best = is_ranked ? best_method(methods, metric) : std::nullopt;
    table.add(cells, best ? std::vector<std::size_t>{*best + 1} : std::vector<std::size_t>{});
  }
  return table.html();
}

/// Every metric of one run with its interval.
std::string interval_table(const RunResult& run, const BootstrapOptions& bootstrap) {
  Table table({"Metric", "Value", "Interval"},
              run.label + ": " + percent(bootstrap.level, 0) + " percentile bootstrap intervals, " +
                  grouped(bootstrap.replicates) + " replicates by " +
                  (run.groups.empty() ? "sample" : "group") + ", seed " +
                  std::to_string(bootstrap.seed) + ".");
  for (const MetricInfo& info : metric_infos()) {
    table.add({heading_of(info), metric_text(info, run.values[info.metric]),
               interval_text(info, run.intervals[static_cast<std::size_t>(info.metric)])});
  }
  return table.html();
}

/// Differences to the first method on the same images, where another run has them.
std::string difference_table(const std::vector<Method>& methods,
                             const MethodDifferences& differences) {
  const RunResult& first = *methods.front().runs.front();
  std::string notes;
  for (const std::string& reason : differences.reasons) notes += paragraph(reason, "muted");
  if (differences.all.empty()) return notes;
  std::vector<std::string> header{"Metric"};
  for (const MethodDifference& each : differences.all) header.push_back("minus " + each.label);
  Table table(
      header,
      methods.front().label + " minus each other method on the same images" +
          (first.record.seed ? " (seed " + std::to_string(*first.record.seed) + ")"
                             : std::string()) +
          ", with paired bootstrap intervals. Bold: the interval leaves out 0. p: bootstrap" +
          (differences.all.size() > 1 ? ", corrected over the methods for each metric (Holm)."
                                      : "."));
  for (const Metric metric : kCompared) {
    const MetricInfo& info = info_of(metric);
    std::vector<std::string> cells{heading_of(info)};
    std::vector<std::size_t> bold;
    for (const MethodDifference& each : differences.all) {
      const auto& interval = each.paired.intervals[static_cast<std::size_t>(metric)];
      if (interval && (interval->low > 0 || interval->high < 0)) bold.push_back(cells.size());
      cells.push_back(difference_text(info, each.paired.difference[metric]) +
                      (interval ? "\n(" + interval_text(info, interval) + ")" : "") +
                      (each.p_values[metric] ? ", p " + fixed(*each.p_values[metric], 3) : ""));
    }
    table.add(cells, bold);
  }
  return table.html() + notes;
}

/// Fewer values make no density worth looking at.
constexpr std::size_t kFewestValues = 5;

std::string density_figure(const Method& method, Figures& figures) {
  const std::size_t classes = method.runs.front()->facts.classes;
  const double highest = std::log(static_cast<double>(classes));
  std::vector<double> right;
  std::vector<double> wrong;
  for (const RunResult* run : method.runs) {
    for (std::size_t i = 0; i < run->facts.samples; ++i) {
      (run->facts.correct[i] ? right : wrong)
          .push_back(std::clamp(run->facts.entropy[i], 0.0, highest));
    }
  }
  plot::ChartOptions options;
  options.title = plot::literal(method.label);
  options.description =
      "Density of the predictive entropy of right and of wrong answers. They should lie apart.";
  options.x_label = "uncertainty *U* (nats)";
  options.y_label = "density";
  options.x_min = 0;
  options.x_max = highest;
  options.y_min = 0;
  options.width = 340;
  options.height = 265;
  options.legend = plot::LegendPlace::kBelow;
  plot::Chart chart(options);
  plot::DensityOptions bounds;
  bounds.lower = 0;
  bounds.upper = highest;
  std::string missing;
  const auto add = [&](const char* name, const std::vector<double>& values, plot::Colour colour,
                       plot::Stroke stroke) {
    if (values.size() >= kFewestValues) {
      chart.density({std::string(name) + " (" + std::to_string(values.size()) + ")", values, bounds,
                     colour, stroke, true});
    } else {
      missing = " There are too few " + std::string(name) + " answers for a density.";
    }
  };
  add("right", right, plot::Colour::kBlue, plot::Stroke::kSolid);
  add("wrong", wrong, plot::Colour::kVermillion, plot::Stroke::kDashed);
  plot::ReferenceLine threshold;
  threshold.value = method.runs.front()->facts.options.uncertainty_threshold;
  threshold.label = "*η* = " + plot::readable_number(threshold.value);
  if (threshold.value < highest) chart.reference(threshold);
  std::vector<std::optional<double>> deltas;
  for (const RunResult* run : method.runs) deltas.push_back(run->values[Metric::kDeltaU]);
  return figures.figure(
      chart, "ΔU " + spread_text(info_of(Metric::kDeltaU), spread_of(deltas)) + " nats." + missing,
      "uncertainty of " + method.label);
}

results::PricedMethod priced(const Method& method, Metric metric, bool is_setting) {
  const auto add = [&](results::PricedRuns& runs, const RunResult& run,
                       const MetricValues& values) {
    std::optional<double> price = values[metric];
    if (price) *price *= scale_of(info_of(metric));
    runs.add(price, values[Metric::kAvu], run.record.seed);
  };
  results::PricedMethod result{method.label, is_setting};
  for (const RunResult* run : method.runs) add(result.runs, *run, run->values);
  if (metric == Metric::kAccuracy) return result;  // which a temperature hardly changes
  for (std::size_t t = 0; t < method.runs.front()->scaled.size(); ++t) {
    results::PricedRuns runs;
    for (const RunResult* run : method.runs) add(runs, *run, run->scaled[t].values);
    if (!runs.avu.empty()) result.scaled.push_back(std::move(runs));
  }
  return result;
}

std::string price_figures(const std::vector<Method>& methods, Figures& figures) {
  std::string html;
  for (const Metric metric : {Metric::kAccuracy, Metric::kEce, Metric::kNll}) {
    const MetricInfo& info = info_of(metric);
    std::vector<results::PricedMethod> all;
    for (const Method& method : methods) {
      const bool setting = results::is_setting_of(methods.front().label, method.label);
      all.push_back(priced(method, metric, setting));
    }
    const char* unit = info.unit == MetricUnit::kPercent ? " %" : "";
    html += figures.figure(results::price_chart(std::string(info.label) + unit, all), "",
                           std::string("AvU against ") + info.label);
  }
  return html;
}

bool has_settings(const std::vector<Method>& methods) {
  return std::any_of(methods.begin() + 1, methods.end(), [&](const Method& method) {
    return results::is_setting_of(methods.front().label, method.label);
  });
}

}  // namespace

std::string methods_section(const std::vector<Method>& methods,
                            const MethodDifferences& differences, const ReportOptions& options,
                            Figures& figures) {
  std::string html = metric_table(methods);
  if (methods.size() > 1) html += difference_table(methods, differences);
  html += "<details><summary>Every metric of " + escaped(methods.front().label) +
          " with its interval</summary>\n" +
          interval_table(*methods.front().runs.front(), options.bootstrap) + "</details>\n";
  html += paragraph(
      "AvU: share of answers that are right and certain or wrong and uncertain. ΔU: mean "
      "uncertainty of wrong answers less that of right ones. ECE, UCE, BCCE: " +
          std::to_string(options.metrics.bins) +
          " bins of equal width; entropies in nats; certain means U at or below " +
          plot::readable_number(options.metrics.uncertainty_threshold) + ".",
      "muted");
  if (methods.size() > 1) {
    html +=
        element("h3", "What a better AvU costs") + "\n" +
        figure_row(price_figures(methods, figures), "small row") +
        paragraph(std::string("A disc is a run") +
                      (has_settings(methods) ? "; a dotted line joins settings of one method over "
                                               "the same seeds (bnn is bnn+cub with a weight of 0)"
                                             : "") +
                      ". A full line, for ECE and NLL, is what a method's networks become when all "
                      "their logits are divided by one temperature, from " +
                      plot::readable_number(kComparedTemperatures.front()) + " to " +
                      plot::readable_number(kComparedTemperatures.back()) +
                      ": a temperature below 1 raises AvU too, so a loss has earned its AvU as far "
                      "as its disc lies above the other methods' lines.",
                  "muted");
  }
  std::string densities;
  for (const Method& method : methods) densities += density_figure(method, figures);
  html += element("h3", "Uncertainty of right and wrong answers") + "\n" +
          figure_row(densities, "small row");
  return html;
}

}  // namespace cubcal::report
