#include "cubcal/results/experiment_tables.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cubcal/core/counted.h"
#include "cubcal/results/paired_difference.h"
#include "cubcal/results/paper_figures.h"
#include "cubcal/results/paper_values.h"
#include "cubcal/results/price_of_avu.h"
#include "cubcal/results/record_grid.h"

namespace cubcal::results {

namespace {

void add_cells(const Grid& grid, const std::string& regime, const std::string& method,
               const std::string& post_hoc, const std::vector<std::string>& metrics,
               ResultRow& row) {
  const Selector select = post_hoc.empty() ? Selector(test_metrics) : calibrated(post_hoc);
  for (const std::string& metric : metrics) {
    ResultCell cell = cell_of(grid.repeats(regime, method), select, metric);
    cell.paper = paper_value(grid.paper(), regime, method, post_hoc, metric);
    row.cells.push_back(std::move(cell));
  }
}

std::string with_note(const std::string& title, const std::string& note) {
  return note.empty() ? title : title + ", " + note;
}

ResultTable training_table(const Grid& grid) {
  const std::vector<std::string> metrics =
      grid.paper() == "skin" ? std::vector<std::string>{"accuracy", "balanced_accuracy", "avu"}
                             : std::vector<std::string>{"accuracy", "avu", "delta_u"};
  ResultTable table{grid.name() + "-training",
                    "Training-time results on the test split",
                    {"method"},
                    columns_of(metrics),
                    {}};
  for (const std::string& method : grid.methods(grid.main_regime())) {
    const std::size_t seeds = grid.repeats(grid.main_regime(), method).size();
    ResultRow row{{method_title(method)}, {}, grid.note(seeds)};
    add_cells(grid, grid.main_regime(), method, "", metrics, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// BNN beside BNN + CUB, a row for each data regime.
ResultTable regime_table(const Grid& grid, const std::string& key, const std::string& title,
                         const std::vector<std::string>& metrics) {
  ResultTable table{grid.name() + "-" + key, title, {"data"}, {}, {}};
  for (const char* method : {"bnn", "bnn+cub"}) {
    for (const ResultColumn& column : columns_of(metrics, method_title(method) + ": ")) {
      table.columns.push_back(column);
    }
  }
  for (const std::string& regime : grid.regimes()) {
    std::set<std::size_t> seeds;
    ResultRow row{{regime_title(regime)}, {}};
    for (const char* method : {"bnn", "bnn+cub"}) {
      add_cells(grid, regime, method, "", metrics, row);
      if (grid.has(regime, method)) seeds.insert(grid.repeats(regime, method).size());
    }
    if (seeds.size() == 1) row.note = grid.note(*seeds.begin());
    if (seeds.size() == 2) {
      row.note = std::to_string(*seeds.begin()) + " and " + counted(*seeds.rbegin(), "seed");
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ResultTable post_hoc_table(const Grid& grid) {
  const bool by_regime = grid.regimes().size() > 1;
  std::vector<std::string> metrics = {"accuracy", "ece", "uce", "bcce", "avu"};
  if (grid.paper() == "skin") metrics.insert(metrics.begin() + 1, "balanced_accuracy");
  if (by_regime) {
    metrics.insert(metrics.end(), {"u_correct", "u_incorrect"});
  } else {
    metrics.emplace_back("delta_u");
  }
  metrics.emplace_back("nll");
  const std::string method = grid.main_method();
  ResultTable table{
      grid.name() + "-post-hoc",
      "Post-hoc calibration of " + method_title(method) + ", fitted on val, shown on test",
      {"calibration"},
      columns_of(metrics),
      {}};
  if (by_regime) table.name_headers.insert(table.name_headers.begin(), "data");
  for (const std::string& regime : grid.regimes()) {
    if (!grid.has(regime, method)) continue;
    std::vector<std::string> calibrations = {""};
    for (const PostHocResult& each : grid.repeats(regime, method).front()->post_hoc) {
      calibrations.push_back(each.method);
    }
    for (const std::string& calibration : calibrations) {
      ResultRow row{{calibration.empty() ? "none" : calibration},
                    {},
                    grid.note(grid.repeats(regime, method).size())};
      if (by_regime) row.names.insert(row.names.begin(), regime_title(regime));
      add_cells(grid, regime, method, calibration, metrics, row);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

/// The kinds of outliers, by name.
std::vector<std::string> categories_of(const DetectorRecord& detector) {
  std::vector<std::string> names;
  for (const DetectorRecord::Category& each : detector.categories) names.push_back(each.name);
  std::sort(names.begin(), names.end());
  return names;
}

/// The paper's OOD table for its method, with the kinds of outliers apart.
ResultTable detector_table(const Grid& grid) {
  const std::string method = grid.main_method();
  const Repeats repeats = grid.repeats(grid.main_regime(), method);
  const std::vector<DetectorRecord>& detectors = repeats.front()->detectors;
  const std::vector<std::string> metrics = {"auroc", "aupr", "fpr95"};
  ResultTable table{grid.name() + "-ood",
                    with_note("Outliers told from the test split by " + method_title(method),
                              grid.note(repeats.size())),
                    {"detector"},
                    columns_of(metrics),
                    {}};
  const std::vector<std::string> categories = categories_of(detectors.front());
  for (const std::string& name : categories) {
    table.columns.push_back({"AUROC %, " + name, 1, 100});
  }
  for (const DetectorRecord& detector : detectors) {
    ResultRow row{{detector.title}, {}};
    for (const std::string& metric : metrics) {
      row.cells.push_back(cell_of(repeats, detection(detector.detector, ""), metric));
      row.cells.back().paper = paper_detection(grid.paper(), method, detector.detector, metric);
    }
    for (const std::string& name : categories) {
      row.cells.push_back(cell_of(repeats, detection(detector.detector, name), "auroc"));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// AUROC of every detector on every method's network.
ResultTable detectors_by_method(const Grid& grid) {
  const std::string regime = grid.main_regime();
  const std::vector<DetectorRecord>& detectors =
      grid.repeats(regime, grid.main_method()).front()->detectors;
  std::vector<std::string> categories = categories_of(detectors.front());
  categories.insert(categories.begin(), "");
  ResultTable table{grid.name() + "-ood-methods",
                    "AUROC in percent of every detector on every method's network",
                    {"outliers", "detector"},
                    {},
                    {}};
  for (const std::string& method : grid.methods(regime)) {
    const std::string note = grid.note(grid.repeats(regime, method).size());
    table.columns.push_back({with_note(method_title(method), note), 1, 100});
  }
  for (const std::string& category : categories) {
    for (const DetectorRecord& detector : detectors) {
      ResultRow row{{category.empty() ? "all" : category, detector.title}, {}};
      for (const std::string& method : grid.methods(regime)) {
        ResultCell cell =
            cell_of(grid.repeats(regime, method), detection(detector.detector, category), "auroc");
        cell.interval.reset();  // the table is wide as it is
        row.cells.push_back(std::move(cell));
      }
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace

std::vector<ResultTable> experiment_tables(const std::vector<ResultRecord>& records) {
  const Grid grid(records);
  std::vector<ResultTable> tables = {training_table(grid)};
  if (grid.regimes().size() > 1) {
    tables.push_back(
        regime_table(grid, "regimes", "Results by training data", {"accuracy", "avu"}));
    tables.push_back(regime_table(grid, "uncertainty",
                                  "Mean uncertainty of correct and incorrect predictions",
                                  {"u_correct", "u_incorrect"}));
  }
  tables.push_back(post_hoc_table(grid));
  if (!grid.repeats(grid.main_regime(), grid.main_method()).front()->detectors.empty()) {
    tables.push_back(detector_table(grid));
    tables.push_back(detectors_by_method(grid));
  }
  tables.push_back(price_table(grid));
  if (std::optional<ResultTable> table = difference_table(grid)) {
    tables.push_back(std::move(*table));
  }
  return tables;
}

std::vector<ResultFigure> experiment_figures(const std::vector<ResultRecord>& records) {
  const Grid grid(records);
  std::vector<ResultFigure> figures;
  if (std::string price = price_figure(records); !price.empty()) {
    figures.push_back(
        {grid.name() + "-price", "AvU of every run against what it costs", std::move(price)});
  }
  if (has_paper_figures(grid)) {
    figures.push_back({grid.name() + "-uncertainty",
                       "Density of the uncertainty of right and wrong answers",
                       uncertainty_figure(grid)});
    figures.push_back({grid.name() + "-boundary",
                       "Mean uncertainty by confidence against the boundary curve",
                       boundary_figure(grid)});
  }
  return figures;
}

std::string results_markdown(const std::vector<ResultRecord>& records, const std::string& command,
                             const std::string& figures) {
  std::string text =
      "# Results\n\nMade by `" + command +
      "`. Do not edit: run it again.\n\n"
      "Numbers are of the test split: mean ± sample standard deviation over seeds, then in "
      "brackets "
      "the 95% bootstrap interval over test images (the mean of the seeds' bounds: the images are "
      "the same, so more seeds do not narrow it). Beside them the paper's numbers, which are of "
      "its "
      "own data and a single seed. U in nats. \"BNN, logits / T\" is the plain Bayesian network "
      "with its logits divided by one temperature: the one that brings its AvU on the test split "
      "nearest to that of the paper's method, of the seeds whose records tell.\n\n";
  for (const std::vector<ResultRecord>& own : by_experiment(records)) {
    std::set<std::uint64_t> seeds;
    std::set<std::string> devices;
    for (const ResultRecord& record : own) {
      seeds.insert(record.seed);
      devices.insert(record.training.device);
    }
    std::string trained_on;
    for (const std::string& device : devices)
      trained_on += (trained_on.empty() ? "" : ", ") + device;
    text += "## " + own.front().experiment + "\n\n" + std::to_string(own.size()) + " runs, " +
            counted(seeds.size(), "seed") + ", trained on " + trained_on + ".\n\n";
    for (const ResultTable& table : experiment_tables(own)) text += to_markdown(table);
    for (const ResultFigure& figure :
         figures.empty() ? std::vector<ResultFigure>{} : experiment_figures(own)) {
      text += "![" + figure.title + "](" + figures + "/" + figure.key + ".svg)\n\n";
    }
  }
  return text;
}

}  // namespace cubcal::results
