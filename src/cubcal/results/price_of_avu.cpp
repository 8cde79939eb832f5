#include "cubcal/results/price_of_avu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "cubcal/plot/svg.h"
#include "cubcal/results/price_chart.h"

namespace cubcal::results {

namespace {

/// Runs of BNN of which one temperature is known and the runs of the paper's method of the same
/// seeds.
std::pair<Repeats, Repeats> comparable_runs(const Grid& grid) {
  std::pair<Repeats, Repeats> pairs;
  for (const ResultRecord* plain : grid.repeats(grid.main_regime(), "bnn")) {
    if (plain->scaled.empty()) continue;
    for (const ResultRecord* other : grid.repeats(grid.main_regime(), grid.main_method())) {
      if (other->seed != plain->seed) continue;
      pairs.first.push_back(plain);
      pairs.second.push_back(other);
    }
  }
  return pairs;
}

/// A network without the paper's loss, sharpened until its AvU is nearest to that of the paper's
/// method. Nothing where it needs no sharpening or its record does not tell.
std::optional<ResultRow> sharpened_row(const Grid& grid, const std::vector<std::string>& metrics) {
  if (grid.main_method() == "bnn") return std::nullopt;
  const auto [plain, others] = comparable_runs(grid);
  const ResultCell goal = cell_of(others, test_metrics, "avu");
  std::optional<double> nearest;
  double distance = std::numeric_limits<double>::infinity();
  for (const double temperature : temperatures_of(plain)) {
    const ResultCell avu = cell_of(plain, scaled_by(temperature), "avu");
    if (avu.empty() || goal.empty() || std::abs(avu.mean() - goal.mean()) >= distance) continue;
    distance = std::abs(avu.mean() - goal.mean());
    nearest = temperature;
  }
  if (!nearest || *nearest >= 1) return std::nullopt;
  ResultRow row{{method_title("bnn") + ", logits / " + plot::readable_number(*nearest)},
                {},
                grid.note(plain.size())};
  for (const std::string& metric : metrics) {
    row.cells.push_back(cell_of(plain, scaled_by(*nearest), metric));
  }
  return row;
}

PricedRuns priced_runs(const Repeats& repeats, const Selector& price, const Selector& avu,
                       const std::string& metric) {
  PricedRuns runs;
  const double scale = metric_formats().at(metric).scale;
  const auto value = [](const ResultCell& cell) {
    return cell.empty() ? std::nullopt : std::optional<double>(cell.mean());
  };
  for (const ResultRecord* record : repeats) {
    std::optional<double> of_run = value(cell_of({record}, price, metric));
    if (of_run) *of_run *= scale;
    runs.add(of_run, value(cell_of({record}, avu, "avu")), record->seed);
  }
  return runs;
}

/// The price is the metric that `select` finds in a record; `with_temperatures` only where that is
/// one of the test metrics.
PricedMethod priced(const Grid& grid, const std::string& method, const Selector& select,
                    const std::string& metric, bool with_temperatures) {
  const Repeats repeats = grid.repeats(grid.main_regime(), method);
  PricedMethod result{method_title(method), is_setting_of("bnn+cub", method),
                      priced_runs(repeats, select, test_metrics, metric)};
  if (!with_temperatures) return result;
  for (const double temperature : temperatures_of(repeats)) {
    const Selector scaled = scaled_by(temperature);
    PricedRuns runs = priced_runs(repeats, scaled, scaled, metric);
    if (!runs.avu.empty()) result.scaled.push_back(std::move(runs));
  }
  return result;
}

}  // namespace

std::map<std::string, std::size_t> method_colours(const std::vector<std::string>& methods) {
  std::map<std::string, std::size_t> colours;
  const std::vector<std::string>& known = known_methods();
  std::vector<std::size_t> free;
  for (std::size_t i = known.size(); i < price_colours(); ++i) free.push_back(i);
  for (std::size_t i = 0; i < known.size(); ++i) {
    if (std::find(methods.begin(), methods.end(), known[i]) == methods.end()) {
      free.push_back(i);
    } else {
      colours[known[i]] = i;
    }
  }
  std::size_t given = 0;
  for (const std::string& method : methods) {
    if (colours.count(method) == 0) colours[method] = free[given++ % free.size()];
  }
  return colours;
}

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
    ResultRow row{{method_title(method)}, {}, grid.note(grid.repeats(regime, method).size())};
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
  const std::vector<std::string> names = grid.methods(grid.main_regime());
  if (names.size() <= (grid.has(grid.main_regime(), "deterministic") ? 2U : 1U)) return "";
  const std::map<std::string, std::size_t> colours = method_colours(names);
  std::vector<plot::Chart> charts;
  const auto add = [&](const std::string& label, const Selector& select, const char* metric,
                       bool with_temperatures) {
    std::vector<PricedMethod> methods;
    bool any = false;
    for (const std::string& method : names) {
      methods.push_back(priced(grid, method, select, metric, with_temperatures));
      methods.back().colour = colours.at(method);
      any = any || !methods.back().runs.avu.empty();
    }
    if (any) charts.push_back(price_chart(label, methods));
  };
  // A temperature hardly changes accuracy, and records do not tell what it does to outliers.
  add(metric_formats().at("accuracy").header, test_metrics, "accuracy", false);
  add(metric_formats().at("ece").header, test_metrics, "ece", true);
  add(metric_formats().at("nll").header, test_metrics, "nll", true);
  add("AUROC % of outliers by *U*", detection("uncertainty", ""), "auroc", false);
  if (charts.empty()) return "";
  return plot::panels(charts, charts.size() % 2 == 0 ? 2 : 3);
}

}  // namespace cubcal::results
