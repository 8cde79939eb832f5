#include "cubcal/results/paper_figures.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "cubcal/results/price_chart.h"
#include "cubcal/results/price_of_avu.h"

namespace cubcal::results {

namespace {

/// Fewer answers make no density worth looking at.
constexpr double kFewestAnswers = 5;
/// Right answers crowd at U = 0: the axis ends at so many times the peak of the wrong ones, where
/// both can be seen.
constexpr double kPeaksShown = 2.5;

void add(std::vector<double>& sums, const std::vector<double>& values) {
  sums.resize(std::max(sums.size(), values.size()));
  for (std::size_t i = 0; i < values.size(); ++i) sums[i] += values[i];
}

/// The answers of all seeds; nothing where a record does not tell or tells in other bins.
template <class SpreadOf>
std::optional<AnswerSpread> pooled(const Repeats& repeats, const SpreadOf& spread_of) {
  AnswerSpread sum;
  for (const ResultRecord* record : repeats) {
    const AnswerSpread* own = spread_of(*record);
    if (own == nullptr || own->classes == 0) return std::nullopt;
    const bool first = sum.classes == 0;
    if (!first && (own->classes != sum.classes || own->right.size() != sum.right.size() ||
                   own->boundary.size() != sum.boundary.size())) {
      return std::nullopt;
    }
    sum.classes = own->classes;
    add(sum.right, own->right);
    add(sum.wrong, own->wrong);
    sum.boundary.resize(own->boundary.size());
    for (std::size_t i = 0; i < own->boundary.size(); ++i) {
      const AnswerSpread::Bin& bin = own->boundary[i];
      AnswerSpread::Bin& into = sum.boundary[i];
      into.count += bin.count;
      into.entropy += bin.count * bin.entropy;
      into.ideal += bin.count * bin.ideal;
    }
  }
  for (AnswerSpread::Bin& bin : sum.boundary) {
    if (bin.count == 0) continue;
    bin.entropy /= bin.count;
    bin.ideal /= bin.count;
  }
  return sum.classes == 0 ? std::nullopt : std::optional(sum);
}

const AnswerSpread* as_it_is(const ResultRecord& record) { return &record.test.spread; }

std::optional<AnswerSpread> pooled_test(const Grid& grid, const std::string& method) {
  return pooled(grid.repeats(grid.main_regime(), method), as_it_is);
}

/// The middles of the bins, each as often as answers lie in it.
std::vector<double> values_of(const std::vector<double>& counts, double width) {
  std::vector<double> values;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    values.insert(values.end(), static_cast<std::size_t>(counts[i]),
                  (static_cast<double>(i) + 0.5) * width);
  }
  return values;
}

std::optional<plot::Density> density_of(const std::vector<double>& counts, double highest) {
  const double width = highest / static_cast<double>(counts.size());
  const std::vector<double> values = values_of(counts, width);
  if (static_cast<double>(values.size()) < kFewestAnswers) return std::nullopt;
  plot::DensityOptions options;
  options.lower = 0;
  options.upper = highest;
  options.bandwidth = std::max(width, plot::silverman_bandwidth(values));
  return plot::estimate_density(values, options);
}

double highest_entropy(const AnswerSpread& spread) {
  return std::log(static_cast<double>(spread.classes));
}

plot::Chart boundary_chart(const AnswerSpread& spread, const std::string& title) {
  plot::ChartOptions options;
  options.title = plot::literal(title);
  options.description = "Mean uncertainty in bins of confidence, against the boundary curve.";
  options.x_label = "confidence *c*";
  options.y_label = "mean uncertainty *U* (nats)";
  options.x_min = 0;
  options.x_max = 1;
  options.y_min = 0;
  options.y_max = highest_entropy(spread);
  options.width = 360;
  options.height = 300;
  options.legend = plot::LegendPlace::kBelow;
  plot::ReliabilitySeries series;
  series.name = "mean uncertainty";
  series.gap_name = "gap to the boundary curve";
  series.colour = plot::Colour::kGreen;
  for (std::size_t i = 0; i < spread.boundary.size(); ++i) {
    const AnswerSpread::Bin& bin = spread.boundary[i];
    series.edges.push_back(static_cast<double>(i) / static_cast<double>(spread.boundary.size()));
    series.observed.push_back(bin.entropy);
    series.expected.push_back(bin.ideal);
    series.count.push_back(static_cast<std::size_t>(bin.count));
  }
  series.edges.push_back(1);
  plot::Chart chart(options);
  chart.reliability(std::move(series));
  return chart;
}

}  // namespace

bool has_paper_figures(const Grid& grid) {
  return pooled_test(grid, grid.main_method()).has_value();
}

std::string uncertainty_figure(const Grid& grid) {
  const double highest = highest_entropy(*pooled_test(grid, grid.main_method()));
  const std::vector<std::string> methods = grid.methods(grid.main_regime());
  const std::map<std::string, std::size_t> colours = method_colours(methods);
  std::vector<plot::LineSeries> lines;
  double peak_of_wrong = 0;
  for (const std::string& method : known_methods()) {
    if (!grid.has(grid.main_regime(), method)) continue;
    const std::optional<AnswerSpread> spread = pooled_test(grid, method);
    if (!spread) continue;
    for (const bool right : {true, false}) {
      const std::optional<plot::Density> density =
          density_of(right ? spread->right : spread->wrong, highest);
      if (!density) continue;
      plot::LineSeries line{method_title(method) + (right ? ", right" : ", wrong"), density->x,
                            density->y};
      line.name = plot::literal(line.name);
      line.colour = price_colour(colours.at(method));
      line.stroke = right ? plot::Stroke::kSolid : plot::Stroke::kDashed;
      lines.push_back(std::move(line));
      if (right) continue;
      peak_of_wrong =
          std::max(peak_of_wrong, *std::max_element(density->y.begin(), density->y.end()));
    }
  }
  plot::ChartOptions options;
  options.title = plot::literal(grid.name() + ": uncertainty of right and wrong answers");
  options.description =
      "Density of the predictive entropy of right and of wrong answers of every method.";
  options.x_label = "uncertainty *U* (nats)";
  options.y_label = "density";
  options.x_min = 0;
  options.x_max = highest;
  options.y_min = 0;
  if (peak_of_wrong > 0) options.y_max = kPeaksShown * peak_of_wrong;
  options.width = 640;
  options.height = 400;
  options.legend = plot::LegendPlace::kRight;
  plot::Chart chart(options);
  for (plot::LineSeries& line : lines) chart.line(std::move(line));
  return chart.svg();
}

std::string boundary_figure(const Grid& grid) {
  const Repeats repeats = grid.repeats(grid.main_regime(), grid.main_method());
  const std::string name = method_title(grid.main_method());
  std::vector<plot::Chart> charts = {
      boundary_chart(*pooled_test(grid, grid.main_method()), name + ", not calibrated")};
  for (const char* method : {"ts-nll", "ts-bcce", "dts"}) {
    const auto under = [&](const ResultRecord& record) -> const AnswerSpread* {
      const auto found = std::find_if(record.post_hoc.begin(), record.post_hoc.end(),
                                      [&](const auto& each) { return each.method == method; });
      return found == record.post_hoc.end() ? nullptr : &found->spread;
    };
    if (const std::optional<AnswerSpread> spread = pooled(repeats, under)) {
      charts.push_back(boundary_chart(*spread, name + ", " + method));
    }
  }
  return plot::panels(charts, 2);
}

}  // namespace cubcal::results
