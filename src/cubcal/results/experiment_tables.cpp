#include "cubcal/results/experiment_tables.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "cubcal/results/paper_values.h"
#include "cubcal/results/price_chart.h"

namespace cubcal::results {

namespace {

const std::map<std::string, ResultColumn>& metric_formats() {
  static const std::map<std::string, ResultColumn> formats = {
      {"accuracy", {"Acc %", 1, 100}},
      {"balanced_accuracy", {"BACC %", 1, 100}},
      {"avu", {"AvU", 3}},
      {"delta_u", {"ΔU", 3}},
      {"u_correct", {"U correct", 2}},
      {"u_incorrect", {"U incorrect", 2}},
      {"ece", {"ECE %", 2, 100}},
      {"uce", {"UCE %", 2, 100}},
      {"bcce", {"BCCE %", 2, 100}},
      {"nll", {"NLL", 3}},
      {"aurc", {"AURC %", 2, 100}},
      {"auroc", {"AUROC %", 1, 100}},
      {"aupr", {"AUPR %", 1, 100}},
      {"fpr95", {"FPR95 %", 1, 100}}};
  return formats;
}

std::vector<ResultColumn> columns_of(const std::vector<std::string>& metrics,
                                     const std::string& prefix = "") {
  std::vector<ResultColumn> columns;
  for (const std::string& metric : metrics) {
    columns.push_back(metric_formats().at(metric));
    columns.back().header = prefix + columns.back().header;
  }
  return columns;
}

/// The seeds of one run.
using Repeats = std::vector<const ResultRecord*>;
/// The metrics a cell is about; null where the record has none such.
using Selector = std::function<const MetricMap*(const ResultRecord&)>;

ResultCell cell_of(const Repeats& repeats, const Selector& select, const std::string& metric) {
  ResultCell cell;
  double low = 0;
  double high = 0;
  std::size_t intervals = 0;
  for (const ResultRecord* record : repeats) {
    const MetricMap* metrics = select(*record);
    if (metrics == nullptr) continue;
    const auto found = metrics->find(metric);
    if (found == metrics->end() || !found->second.value) continue;
    cell.seeds.push_back(*found->second.value);
    if (!found->second.interval) continue;
    low += found->second.interval->first;
    high += found->second.interval->second;
    ++intervals;
  }
  if (intervals > 0 && intervals == cell.seeds.size()) {
    const auto count = static_cast<double>(intervals);
    cell.interval = {low / count, high / count};
  }
  return cell;
}

const MetricMap* test_metrics(const ResultRecord& record) { return &record.metrics; }

Selector calibrated(const std::string& method) {
  return [method](const ResultRecord& record) -> const MetricMap* {
    for (const PostHocResult& each : record.post_hoc) {
      if (each.method == method) return &each.metrics;
    }
    return nullptr;
  };
}

/// `category` empty: all outliers.
Selector detection(const std::string& detector, const std::string& category) {
  return [=](const ResultRecord& record) -> const MetricMap* {
    for (const DetectorResult& each : record.detectors) {
      if (each.key != detector) continue;
      if (category.empty()) return &each.metrics;
      const auto found = each.categories.find(category);
      return found == each.categories.end() ? nullptr : &found->second;
    }
    return nullptr;
  };
}

const std::vector<std::string>& known_methods() {
  static const std::vector<std::string> names = {"deterministic", "bnn", "mc-dropout", "bnn+avuc",
                                                 "bnn+cub"};
  return names;
}

std::string method_title(const std::string& method) {
  static const std::map<std::string, std::string> titles = {{"deterministic", "Deterministic"},
                                                            {"bnn", "BNN"},
                                                            {"mc-dropout", "MC dropout"},
                                                            {"bnn+avuc", "BNN + AvUC"},
                                                            {"bnn+cub", "BNN + CUB"}};
  const auto found = titles.find(method);
  return found == titles.end() ? method : found->second;
}

std::string regime_title(const std::string& regime) {
  if (regime == "full") return "Full dataset";
  if (regime == "balanced") return "Balanced (train/val)";
  return "Reduced train/val (" + regime + ")";
}

/// Shares of the data by size, then all of it, then balanced.
double regime_place(const std::string& regime) {
  if (regime == "full") return 100;
  if (regime == "balanced") return 101;
  return std::strtod(regime.c_str(), nullptr);
}

/// The records of an experiment by regime and method.
class Grid {
 public:
  explicit Grid(const std::vector<ResultRecord>& records) : first_(records.front()) {
    for (const ResultRecord& record : records) {
      runs_[{record.regime, record.method}].push_back(&record);
    }
  }

  const std::string& name() const { return first_.experiment; }
  const std::string& paper() const { return first_.paper; }

  std::vector<std::string> regimes() const {
    std::set<std::string> names;
    for (const auto& [key, repeats] : runs_) names.insert(key.first);
    std::vector<std::string> sorted(names.begin(), names.end());
    std::sort(sorted.begin(), sorted.end(),
              [](const auto& a, const auto& b) { return regime_place(a) < regime_place(b); });
    return sorted;
  }
  /// The regime that tables of a single one are about.
  std::string main_regime() const {
    const std::vector<std::string> names = regimes();
    const bool has_full = std::find(names.begin(), names.end(), "full") != names.end();
    return has_full ? "full" : names.front();
  }
  /// The known ones in the order of the paper, then variants by name.
  std::vector<std::string> methods(const std::string& regime) const {
    std::vector<std::string> names;
    for (const std::string& each : known_methods()) {
      if (has(regime, each)) names.push_back(each);
    }
    for (const auto& [key, repeats] : runs_) {
      const bool is_known = std::find(names.begin(), names.end(), key.second) != names.end();
      if (key.first == regime && !is_known) names.push_back(key.second);
    }
    return names;
  }
  bool has(const std::string& regime, const std::string& method) const {
    return runs_.count({regime, method}) > 0;
  }
  Repeats repeats(const std::string& regime, const std::string& method) const {
    const auto found = runs_.find({regime, method});
    return found == runs_.end() ? Repeats{} : found->second;
  }
  /// The paper's method, or what stands in for it.
  std::string main_method() const {
    return has(main_regime(), "bnn+cub") ? "bnn+cub" : methods(main_regime()).back();
  }

 private:
  const ResultRecord& first_;
  std::map<std::pair<std::string, std::string>, Repeats> runs_;
};

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
    ResultRow row{{method_title(method)}, {}};
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
    ResultRow row{{regime_title(regime)}, {}};
    for (const char* method : {"bnn", "bnn+cub"}) {
      add_cells(grid, regime, method, "", metrics, row);
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
      ResultRow row{{calibration.empty() ? "none" : calibration}, {}};
      if (by_regime) row.names.insert(row.names.begin(), regime_title(regime));
      add_cells(grid, regime, method, calibration, metrics, row);
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

/// What each method pays for its AvU, outliers included where there are some.
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
    ResultRow row{{method_title(method)}, {}};
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
  return table;
}

/// AvU of each run of a method and the metric that `select` finds beside it.
PricedMethod priced(const Grid& grid, const std::string& method, const Selector& select,
                    const std::string& metric) {
  PricedMethod result;
  result.title = method_title(method);
  result.on_curve = is_setting_of(grid.main_method(), method);
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

/// The paper's OOD table for its method, with the kinds of outliers apart.
ResultTable detector_table(const Grid& grid) {
  const std::string method = grid.main_method();
  const Repeats repeats = grid.repeats(grid.main_regime(), method);
  const std::vector<DetectorResult>& detectors = repeats.front()->detectors;
  const std::vector<std::string> metrics = {"auroc", "aupr", "fpr95"};
  ResultTable table{grid.name() + "-ood",
                    "Outliers told from the test split by " + method_title(method),
                    {"detector"},
                    columns_of(metrics),
                    {}};
  std::vector<std::string> categories;
  for (const auto& [name, numbers] : detectors.front().categories) categories.push_back(name);
  for (const std::string& name : categories) {
    table.columns.push_back({"AUROC %, " + name, 1, 100});
  }
  for (const DetectorResult& detector : detectors) {
    ResultRow row{{detector.title}, {}};
    for (const std::string& metric : metrics) {
      row.cells.push_back(cell_of(repeats, detection(detector.key, ""), metric));
      row.cells.back().paper = paper_detection(grid.paper(), method, detector.key, metric);
    }
    for (const std::string& name : categories) {
      row.cells.push_back(cell_of(repeats, detection(detector.key, name), "auroc"));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// AUROC of every detector on every method's network.
ResultTable detectors_by_method(const Grid& grid) {
  const std::string regime = grid.main_regime();
  const std::vector<DetectorResult>& detectors =
      grid.repeats(regime, grid.main_method()).front()->detectors;
  std::vector<std::string> categories = {""};
  for (const auto& [name, numbers] : detectors.front().categories) categories.push_back(name);
  ResultTable table{grid.name() + "-ood-methods",
                    "AUROC in percent of every detector on every method's network",
                    {"outliers", "detector"},
                    {},
                    {}};
  for (const std::string& method : grid.methods(regime)) {
    table.columns.push_back({method_title(method), 1, 100});
  }
  for (const std::string& category : categories) {
    for (const DetectorResult& detector : detectors) {
      ResultRow row{{category.empty() ? "all" : category, detector.title}, {}};
      for (const std::string& method : grid.methods(regime)) {
        ResultCell cell =
            cell_of(grid.repeats(regime, method), detection(detector.key, category), "auroc");
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
  return tables;
}

std::string price_figure(const std::vector<ResultRecord>& records) {
  const Grid grid(records);
  std::vector<plot::Chart> charts;
  const auto add = [&](const std::string& label, const Selector& select, const char* metric) {
    std::vector<PricedMethod> methods;
    bool any = false;
    for (const std::string& method : grid.methods(grid.main_regime())) {
      methods.push_back(priced(grid, method, select, metric));
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
      "own data and a single seed. U in nats.\n\n";
  for (const std::vector<ResultRecord>& own : by_experiment(records)) {
    std::set<std::uint64_t> seeds;
    std::set<std::string> devices;
    for (const ResultRecord& record : own) {
      seeds.insert(record.seed);
      devices.insert(record.device);
    }
    std::string trained_on;
    for (const std::string& device : devices)
      trained_on += (trained_on.empty() ? "" : ", ") + device;
    text += "## " + own.front().experiment + "\n\n" + std::to_string(own.size()) + " runs, " +
            std::to_string(seeds.size()) + (seeds.size() == 1 ? " seed" : " seeds") +
            ", trained on " + trained_on + ".\n\n";
    for (const ResultTable& table : experiment_tables(own)) text += to_markdown(table);
    if (figures.empty()) continue;
    text += "![AvU of every run against what it costs](" + figures + "/" + own.front().experiment +
            "-price.svg)\n\n";
  }
  return text;
}

}  // namespace cubcal::results
