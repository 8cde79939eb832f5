#include "cubcal/results/price_of_avu.h"

#include <cmath>
#include <limits>
#include <optional>

#include "cubcal/plot/svg.h"
#include "cubcal/results/price_chart.h"

namespace cubcal::results {

namespace {

/// A network without the paper's loss, sharpened until its AvU is nearest to that of the paper's
/// method. Nothing where it needs no sharpening or its record does not tell.
std::optional<ResultRow> sharpened_row(const Grid& grid, const std::vector<std::string>& metrics) {
  const std::string regime = grid.main_regime();
  if (!grid.has(regime, "bnn") || grid.main_method() == "bnn") return std::nullopt;
  const Repeats plain = grid.repeats(regime, "bnn");
  const ResultCell goal = cell_of(grid.repeats(regime, grid.main_method()), test_metrics, "avu");
  std::optional<double> nearest;
  double distance = std::numeric_limits<double>::infinity();
  for (const double temperature : temperatures_of(plain)) {
    const ResultCell avu = cell_of(plain, scaled_by(temperature), "avu");
    if (avu.empty() || goal.empty() || std::abs(avu.mean() - goal.mean()) >= distance) continue;
    distance = std::abs(avu.mean() - goal.mean());
    nearest = temperature;
  }
  if (!nearest || *nearest >= 1) return std::nullopt;
  ResultRow row{{}, {}};
  for (const std::string& metric : metrics) {
    row.cells.push_back(cell_of(plain, scaled_by(*nearest), metric));
  }
  const std::size_t seeds = row.cells.front().seeds.size();
  row.names = {method_title("bnn") + ", logits / " + plot::readable_number(*nearest) +
               (seeds == plain.size() ? "" : ", " + counted_seeds(seeds))};
  return row;
}

/// AvU of each run of a method and the metric that `select` finds beside it.
PricedMethod priced(const Grid& grid, const std::string& method, const Selector& select,
                    const std::string& metric) {
  PricedMethod result;
  result.title = method_title(method);
  result.on_curve = is_setting_of("bnn+cub", method);
  const double scale = metric_formats().at(metric).scale;
  for (const ResultRecord* record : grid.repeats(grid.main_regime(), method)) {
    const ResultCell price = cell_of({record}, select, metric);
    const ResultCell avu = cell_of({record}, test_metrics, "avu");
    if (price.seeds.empty() || avu.seeds.empty()) continue;
    result.price.push_back(scale * price.seeds.front());
    result.avu.push_back(avu.seeds.front());
  }
  return result;
}

/// Price and AvU of a method under one temperature, means over its seeds.
std::vector<std::pair<double, double>> scaled_prices(const Grid& grid, const std::string& method,
                                                     const std::string& metric) {
  const Repeats repeats = grid.repeats(grid.main_regime(), method);
  std::vector<std::pair<double, double>> points;
  for (const double temperature : temperatures_of(repeats)) {
    const ResultCell price = cell_of(repeats, scaled_by(temperature), metric);
    const ResultCell avu = cell_of(repeats, scaled_by(temperature), "avu");
    if (price.empty() || avu.empty()) continue;
    points.emplace_back(metric_formats().at(metric).scale * price.mean(), avu.mean());
  }
  return points;
}

}  // namespace

ResultTable price_table(const Grid& grid) {
  const std::vector<std::string> metrics = {
      "accuracy", "balanced_accuracy", "avu", "bcce", "ece", "nll", "aurc"};
  const std::string regime = grid.main_regime();
  ResultTable table{grid.name() + "-price",
                    "What a better AvU costs: every method on the test split",
                    {"method"},
                    columns_of(metrics),
                    {}};
  const bool outliers = !grid.repeats(regime, grid.main_method()).front()->detectors.empty();
  const std::vector<std::pair<std::string, std::string>> scores = {
      {"uncertainty", "OOD AUROC of U %"}, {"mutual-information", "OOD AUROC of MI %"}};
  if (outliers) {
    for (const auto& [key, title] : scores) table.columns.push_back({title, 1, 100});
  }
  for (const std::string& method : grid.methods(regime)) {
    ResultRow row{{grid.title(regime, method)}, {}};
    for (const std::string& metric : metrics) {
      row.cells.push_back(cell_of(grid.repeats(regime, method), test_metrics, metric));
    }
    if (outliers) {
      for (const auto& [key, title] : scores) {
        row.cells.push_back(cell_of(grid.repeats(regime, method), detection(key, ""), "auroc"));
      }
    }
    table.rows.push_back(std::move(row));
  }
  if (std::optional<ResultRow> row = sharpened_row(grid, metrics)) {
    row->cells.resize(table.columns.size());
    table.rows.push_back(std::move(*row));
  }
  return table;
}

std::string price_figure(const std::vector<ResultRecord>& records) {
  const Grid grid(records);
  std::vector<plot::Chart> charts;
  const auto add = [&](const std::string& label, const Selector& select, const char* metric) {
    std::vector<PricedMethod> methods;
    bool any = false;
    for (const std::string& method : grid.methods(grid.main_regime())) {
      methods.push_back(priced(grid, method, select, metric));
      if (std::string(metric) != "accuracy") {  // which a temperature hardly changes
        methods.back().scaled = scaled_prices(grid, method, metric);
      }
      any = any || !methods.back().avu.empty();
    }
    if (any) charts.push_back(price_chart(label, methods));
  };
  for (const char* metric : {"accuracy", "ece", "nll"}) {
    add(metric_formats().at(metric).header, test_metrics, metric);
  }
  add("AUROC % of outliers by *U*", detection("uncertainty", ""), "auroc");
  return plot::panels(charts, charts.size() % 2 == 0 ? 2 : 3);
}

}  // namespace cubcal::results
