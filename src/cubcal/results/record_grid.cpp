#include "cubcal/results/record_grid.h"

#include <algorithm>
#include <cstdlib>

#include "cubcal/core/counted.h"

namespace cubcal::results {

namespace {

double regime_place(const std::string& regime) {
  if (regime == "full") return 100;
  if (regime == "balanced") return 101;
  return std::strtod(regime.c_str(), nullptr);
}

const Measured* found_in(const MetricMap& metrics, const std::string& metric) {
  const auto found = metrics.find(metric);
  return found == metrics.end() ? nullptr : &found->second;
}

const Measured* share_in(const DetectionRecord& detection, const std::string& metric) {
  if (metric == "auroc") return &detection.auroc;
  if (metric == "aupr") return &detection.aupr;
  return metric == "fpr95" ? &detection.fpr95 : nullptr;
}

}  // namespace

const std::vector<std::string>& known_methods() {
  static const std::vector<std::string> names = {"deterministic", "bnn", "mc-dropout", "bnn+avuc",
                                                 "bnn+cub"};
  return names;
}

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
                                     const std::string& prefix) {
  std::vector<ResultColumn> columns;
  for (const std::string& metric : metrics) {
    columns.push_back(metric_formats().at(metric));
    columns.back().header = prefix + columns.back().header;
  }
  return columns;
}

std::string method_title(const std::string& method) {
  static const std::map<std::string, std::string> titles = {
      {"deterministic", "Deterministic"}, {"bnn", "BNN"},
      {"mc-dropout", "MC dropout"},       {"ensemble", "Deep ensemble"},
      {"last-layer", "Last-layer BNN"},   {"laplace", "Last-layer Laplace"},
      {"bnn+avuc", "BNN + AvUC"},         {"bnn+cub", "BNN + CUB"}};
  const auto found = titles.find(method);
  return found == titles.end() ? method : found->second;
}

std::string regime_title(const std::string& regime) {
  if (regime == "full") return "Full dataset";
  if (regime == "balanced") return "Balanced (train/val)";
  return "Reduced train/val (" + regime + ")";
}

const Measured* test_metrics(const ResultRecord& record, const std::string& metric) {
  return found_in(record.test.metrics, metric);
}

Selector calibrated(const std::string& method) {
  return [method](const ResultRecord& record, const std::string& metric) -> const Measured* {
    for (const PostHocResult& each : record.post_hoc) {
      if (each.method == method) return found_in(each.metrics, metric);
    }
    return nullptr;
  };
}

Selector scaled_by(double temperature) {
  return [temperature](const ResultRecord& record, const std::string& metric) -> const Measured* {
    for (const ScaledResult& each : record.scaled) {
      if (each.temperature == temperature) return found_in(each.metrics, metric);
    }
    return nullptr;
  };
}

Selector detection(const std::string& detector, const std::string& category) {
  return [=](const ResultRecord& record, const std::string& metric) -> const Measured* {
    for (const DetectorRecord& each : record.detectors) {
      if (each.detector != detector) continue;
      if (category.empty()) return share_in(each.all, metric);
      for (const DetectorRecord::Category& kind : each.categories) {
        if (kind.name == category) return share_in(kind.detection, metric);
      }
      return nullptr;
    }
    return nullptr;
  };
}

ResultCell cell_of(const Repeats& repeats, const Selector& select, const std::string& metric) {
  ResultCell cell;
  double low = 0;
  double high = 0;
  std::size_t intervals = 0;
  for (const ResultRecord* record : repeats) {
    const Measured* measured = select(*record, metric);
    if (measured == nullptr || !measured->value) continue;
    cell.seeds.push_back(*measured->value);
    if (!measured->interval) continue;
    low += measured->interval->first;
    high += measured->interval->second;
    ++intervals;
  }
  if (intervals > 0 && intervals == cell.seeds.size()) {
    const auto count = static_cast<double>(intervals);
    cell.interval = {low / count, high / count};
  }
  return cell;
}

std::vector<double> temperatures_of(const Repeats& repeats) {
  std::vector<double> common;
  bool first = true;
  for (const ResultRecord* record : repeats) {
    if (record->scaled.empty()) continue;
    std::vector<double> own;
    for (const ScaledResult& each : record->scaled) {
      const bool kept =
          first || std::find(common.begin(), common.end(), each.temperature) != common.end();
      if (kept) own.push_back(each.temperature);
    }
    common = std::move(own);
    first = false;
  }
  return common;
}

Grid::Grid(const std::vector<ResultRecord>& records) : first_(records.front()) {
  for (const ResultRecord& record : records) {
    runs_[{record.regime, record.method}].push_back(&record);
    seeds_.insert(record.seed);
  }
}

std::vector<std::string> Grid::regimes() const {
  std::set<std::string> names;
  for (const auto& [key, repeats] : runs_) names.insert(key.first);
  std::vector<std::string> sorted(names.begin(), names.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const auto& a, const auto& b) { return regime_place(a) < regime_place(b); });
  return sorted;
}

std::string Grid::main_regime() const {
  const std::vector<std::string> names = regimes();
  const bool has_full = std::find(names.begin(), names.end(), "full") != names.end();
  return has_full ? "full" : names.front();
}

std::vector<std::string> Grid::methods(const std::string& regime) const {
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

bool Grid::has(const std::string& regime, const std::string& method) const {
  return runs_.count({regime, method}) > 0;
}

Repeats Grid::repeats(const std::string& regime, const std::string& method) const {
  const auto found = runs_.find({regime, method});
  return found == runs_.end() ? Repeats{} : found->second;
}

std::string Grid::note(std::size_t seeds) const {
  return seeds == seeds_.size() ? "" : counted(seeds, "seed");
}

std::string Grid::main_method() const {
  return has(main_regime(), "bnn+cub") ? "bnn+cub" : methods(main_regime()).back();
}

}  // namespace cubcal::results
