#include "cubcal/results/price_chart.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <tuple>
#include <utility>

namespace cubcal::results {

namespace {

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The ends of an axis that cuts no disc in two.
std::pair<double, double> roomy_range(const std::vector<PricedMethod>& methods,
                                      std::vector<double> PricedMethod::*values) {
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const PricedMethod& method : methods) {
    for (const double value : method.*values) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  }
  const double margin = high > low ? 0.08 * (high - low) : 0.01 * std::max(1.0, std::abs(low));
  return {low - margin, high + margin};
}

plot::LineSeries curve(const std::vector<PricedMethod>& methods) {
  std::vector<std::pair<double, double>> means;  // AvU, price
  for (const PricedMethod& method : methods) {
    if (method.on_curve && !method.avu.empty()) {
      means.emplace_back(mean(method.avu), mean(method.price));
    }
  }
  std::sort(means.begin(), means.end());
  plot::LineSeries line;
  line.name = "means of settings";
  line.colour = plot::Colour::kMuted;
  line.stroke = plot::Stroke::kDotted;
  line.in_legend = false;
  for (const auto& [avu, price] : means) {
    line.x.push_back(price);
    line.y.push_back(avu);
  }
  return line;
}

}  // namespace

bool is_setting_of(const std::string& method, const std::string& name) {
  return name == method || name.rfind(method + "-", 0) == 0;
}

plot::Chart price_chart(const std::string& price, const std::vector<PricedMethod>& methods) {
  plot::ChartOptions options;
  options.title = "AvU against " + price;
  options.description = "AvU of every run against " + price + ", a colour for each method.";
  options.x_label = price;
  options.y_label = "AvU";
  const bool any = std::any_of(methods.begin(), methods.end(),
                               [](const PricedMethod& method) { return !method.avu.empty(); });
  if (any) {
    std::tie(options.x_min, options.x_max) = roomy_range(methods, &PricedMethod::price);
    std::tie(options.y_min, options.y_max) = roomy_range(methods, &PricedMethod::avu);
  }
  options.width = 340;
  options.height = 330;
  options.legend = plot::LegendPlace::kBelow;
  plot::Chart chart(options);
  plot::LineSeries line = curve(methods);
  if (line.x.size() > 1) chart.line(std::move(line));
  for (const PricedMethod& method : methods) {
    if (method.avu.empty()) continue;
    plot::ScatterSeries runs;
    runs.name = plot::literal(method.title);
    runs.x = method.price;
    runs.y = method.avu;
    runs.radius = 4;
    runs.opacity = 0.85;
    runs.notes.assign(method.avu.size(), method.title);
    chart.scatter(std::move(runs));
  }
  return chart;
}

}  // namespace cubcal::results
