#include "cubcal/results/price_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <numeric>
#include <set>
#include <tuple>
#include <utility>

#include "cubcal/core/words.h"

namespace cubcal::results {

namespace {

/// Five methods and some settings of one of them, told apart.
constexpr std::array kColours = {
    plot::Colour::kBlue,   plot::Colour::kVermillion, plot::Colour::kGreen, plot::Colour::kPurple,
    plot::Colour::kOrange, plot::Colour::kSky,        plot::Colour::kInk};

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

using Seeds = std::set<std::optional<std::uint64_t>>;
using Settings = std::vector<const PricedMethod*>;

Seeds seeds_of(const PricedMethod& method) {
  return {method.runs.seeds.begin(), method.runs.seeds.end()};
}

/// Settings and seeds such that each setting was run with each seed.
struct FullGrid {
  Settings settings;
  Seeds seeds;

  /// Runs, then settings.
  std::pair<std::size_t, std::size_t> size() const {
    return {settings.size() * seeds.size(), settings.size()};
  }
};

FullGrid grid_of(const Settings& settings, const Seeds& seeds) {
  FullGrid grid{{}, seeds};
  for (const PricedMethod* setting : settings) {
    const Seeds own = seeds_of(*setting);
    const bool has_all = std::includes(own.begin(), own.end(), seeds.begin(), seeds.end());
    if (has_all) grid.settings.push_back(setting);
  }
  return grid;
}

/// Means over different seeds are not to be joined by a line: the largest grid of the seeds that
/// two settings share.
FullGrid largest_grid(const Settings& settings) {
  FullGrid largest;
  for (std::size_t i = 0; i < settings.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const Seeds a = seeds_of(*settings[i]);
      const Seeds b = seeds_of(*settings[j]);
      Seeds shared;
      std::set_intersection(a.begin(), a.end(), b.begin(), b.end(),
                            std::inserter(shared, shared.end()));
      if (shared.empty()) continue;
      FullGrid grid = grid_of(settings, shared);
      if (grid.size() > largest.size()) largest = std::move(grid);
    }
  }
  return largest;
}

plot::LineSeries curve(const std::vector<PricedMethod>& methods) {
  Settings settings;
  for (const PricedMethod& method : methods) {
    if (method.is_setting) settings.push_back(&method);
  }
  const FullGrid grid = largest_grid(settings);
  std::vector<std::pair<double, double>> means;  // AvU, price
  for (const PricedMethod* setting : grid.settings) {
    const PricedRuns& all = setting->runs;
    PricedRuns runs;
    for (std::size_t i = 0; i < all.seeds.size(); ++i) {
      if (grid.seeds.count(all.seeds[i]) > 0) runs.add(all.price[i], all.avu[i], all.seeds[i]);
    }
    means.emplace_back(mean(runs.avu), mean(runs.price));
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
  const std::size_t known = method.scaled.front().avu.size();
  if (known < method.runs.avu.size()) {
    line.name +=
        " (" + std::to_string(known) + " of " + std::to_string(method.runs.avu.size()) + " runs)";
  }
  line.colour = colour;
  line.width = 1;
  line.in_legend = false;
  for (const PricedRuns& runs : method.scaled) {
    line.x.push_back(mean(runs.price));
    line.y.push_back(mean(runs.avu));
  }
  return line;
}

plot::ScatterSeries discs(const PricedMethod& method, plot::Colour colour) {
  plot::ScatterSeries runs;
  runs.name = plot::literal(method.title);
  runs.x = method.runs.price;
  runs.y = method.runs.avu;
  runs.colour = colour;
  runs.radius = 4;
  runs.opacity = 0.85;
  runs.notes.assign(method.runs.avu.size(), method.title);
  return runs;
}

}  // namespace

void PricedRuns::add(const std::optional<double>& price_of_run,
                     const std::optional<double>& avu_of_run,
                     const std::optional<std::uint64_t>& seed) {
  if (!price_of_run || !avu_of_run) return;
  price.push_back(*price_of_run);
  avu.push_back(*avu_of_run);
  seeds.push_back(seed);
}

bool is_setting_of(const std::string& method, const std::string& name) {
  return name == method || starts_with(name, method + "-") ||
         (method == "bnn+cub" && name == "bnn");
}

std::size_t price_colours() { return kColours.size(); }

plot::Colour price_colour(std::size_t number) { return kColours[number % kColours.size()]; }

plot::Chart price_chart(const std::string& price, const std::vector<PricedMethod>& methods) {
  plot::ChartOptions options;
  options.title = "AvU against " + price;
  options.description = "AvU of every run against " + price + ", a colour for each method.";
  options.x_label = price;
  options.y_label = "AvU";
  std::vector<plot::LineSeries> lines;
  if (plot::LineSeries line = curve(methods); line.x.size() > 1) lines.push_back(std::move(line));
  std::vector<plot::ScatterSeries> runs;
  for (std::size_t i = 0; i < methods.size(); ++i) {
    if (methods[i].runs.avu.empty()) continue;
    const plot::Colour colour = price_colour(methods[i].colour.value_or(i));
    if (methods[i].scaled.size() > 1) lines.push_back(scaled_line(methods[i], colour));
    runs.push_back(discs(methods[i], colour));
  }
  std::vector<double> prices;
  std::vector<double> avus;
  const auto widen = [&](const auto& series) {
    prices.insert(prices.end(), series.x.begin(), series.x.end());
    avus.insert(avus.end(), series.y.begin(), series.y.end());
  };
  for (const plot::LineSeries& line : lines) widen(line);
  for (const plot::ScatterSeries& each : runs) widen(each);
  if (!prices.empty()) {
    std::tie(options.x_min, options.x_max) = roomy_range(prices);
    std::tie(options.y_min, options.y_max) = roomy_range(avus);
  }
  options.width = 340;
  options.height = 330;
  options.legend = plot::LegendPlace::kBelow;
  plot::Chart chart(options);
  for (plot::LineSeries& line : lines) chart.line(std::move(line));
  for (plot::ScatterSeries& each : runs) chart.scatter(std::move(each));
  return chart;
}

}  // namespace cubcal::results
