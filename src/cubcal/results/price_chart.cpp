#include "cubcal/results/price_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <tuple>
#include <utility>

namespace cubcal::results {

namespace {

/// Five methods and some settings of one of them, told apart.
constexpr std::array<plot::Colour, 8> kColours = {
    plot::Colour::kBlue,   plot::Colour::kVermillion, plot::Colour::kGreen, plot::Colour::kPurple,
    plot::Colour::kOrange, plot::Colour::kSky,        plot::Colour::kInk,   plot::Colour::kMuted};

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// The ends of an axis that cuts no disc in two.
std::pair<double, double> roomy_range(const std::vector<double>& values) {
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  const double low = *least;
  const double high = *most;
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

plot::LineSeries scaled_line(const PricedMethod& method, plot::Colour colour) {
  plot::LineSeries line;
  line.name = plot::literal(method.title) + ", one temperature";
  line.colour = colour;
  line.width = 1;
  line.in_legend = false;
  for (const auto& [price, avu] : method.scaled) {
    line.x.push_back(price);
    line.y.push_back(avu);
  }
  return line;
}

plot::ScatterSeries discs(const PricedMethod& method, plot::Colour colour) {
  plot::ScatterSeries runs;
  runs.name = plot::literal(method.title);
  runs.x = method.price;
  runs.y = method.avu;
  runs.colour = colour;
  runs.radius = 4;
  runs.opacity = 0.85;
  runs.notes.assign(method.avu.size(), method.title);
  return runs;
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
  std::vector<double> prices;
  std::vector<double> avus;
  for (const PricedMethod& method : methods) {
    prices.insert(prices.end(), method.price.begin(), method.price.end());
    avus.insert(avus.end(), method.avu.begin(), method.avu.end());
    for (const auto& [price, avu] : method.scaled) {
      prices.push_back(price);
      avus.push_back(avu);
    }
  }
  if (!prices.empty()) {
    std::tie(options.x_min, options.x_max) = roomy_range(prices);
    std::tie(options.y_min, options.y_max) = roomy_range(avus);
  }
  options.width = 340;
  options.height = 330;
  options.legend = plot::LegendPlace::kBelow;
  plot::Chart chart(options);
  plot::LineSeries line = curve(methods);
  if (line.x.size() > 1) chart.line(std::move(line));
  std::size_t drawn = 0;
  for (const PricedMethod& method : methods) {
    if (method.avu.empty()) continue;
    const plot::Colour colour = kColours[drawn++ % kColours.size()];
    if (method.scaled.size() > 1) chart.line(scaled_line(method, colour));
    chart.scatter(discs(method, colour));
  }
  return chart;
}

}  // namespace cubcal::results
