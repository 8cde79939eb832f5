#include "cubcal/results/result_record.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"

namespace cubcal::results {

namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxRecordBytes = 16 << 20;

std::pair<double, double> read_interval(const Json& json) {
  return {json.at(0).get<double>(), json.at(1).get<double>()};
}

/// {"accuracy": 0.9} with {"accuracy": [0.8, 0.95]} beside it.
MetricMap read_metrics(const Json& values, const Json& intervals) {
  MetricMap metrics;
  for (const auto& [key, value] : values.items()) {
    Measured& measured = metrics[key];
    if (!value.is_null()) measured.value = value.get<double>();
    if (intervals.is_object() && intervals.contains(key) && !intervals.at(key).is_null()) {
      measured.interval = read_interval(intervals.at(key));
    }
  }
  return metrics;
}

/// The numbers of a row of the OOD table: "auroc" with "auroc_interval" beside it.
MetricMap read_detection(const Json& row) {
  MetricMap metrics;
  for (const char* key : {"auroc", "aupr", "fpr95"}) {
    metrics[key] = {row.at(key).get<double>(),
                    read_interval(row.at(std::string(key) + "_interval"))};
  }
  return metrics;
}

DetectorResult read_detector(const Json& row) {
  DetectorResult result{row.at("detector"), row.at("title"), read_detection(row), {}};
  for (const auto& [name, category] : row.at("categories").items()) {
    result.categories[name] = read_detection(category);
  }
  return result;
}

ResultRecord from_json(const Json& json) {
  if (json.at("format") != "cubcal-result" || json.at("version") != 1) {
    throw DataError("format and version are not those of a result");
  }
  ResultRecord record;
  record.experiment = json.at("experiment");
  record.paper = json.at("paper");
  record.regime = json.at("regime");
  record.method = json.at("method");
  record.seed = json.at("seed");
  record.device = json.at("training").at("device");
  record.metrics = read_metrics(json.at("test").at("metrics"), json.at("test").at("intervals"));
  for (const Json& each : json.at("post_hoc")) {
    record.post_hoc.push_back({each.at("method"), each.at("t_high"), each.at("t_low"),
                               read_metrics(each.at("metrics"), each.at("intervals"))});
  }
  for (const Json& each : json.at("ood")) record.detectors.push_back(read_detector(each));
  return record;
}

std::vector<std::string> json_files(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(path)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path().string());
  }
  return files;
}

auto identity(const ResultRecord& record) {
  return std::tie(record.experiment, record.regime, record.method, record.seed);
}

}  // namespace

ResultRecord read_result_record(const std::string& path) {
  const std::string text = read_text_file(path, kMaxRecordBytes);
  try {
    return from_json(Json::parse(text));
  } catch (const std::exception& error) {
    throw DataError("'" + path + "' is no record of a result: " + error.what());
  }
}

std::vector<ResultRecord> read_result_records(const std::vector<std::string>& paths) {
  std::vector<ResultRecord> records;
  for (const std::string& path : paths) {
    for (const std::string& file : json_files(path)) records.push_back(read_result_record(file));
  }
  if (records.empty())
    throw ArgumentError("there is no record (*.json) in '" + paths.front() + "'");
  std::sort(records.begin(), records.end(),
            [](const ResultRecord& a, const ResultRecord& b) { return identity(a) < identity(b); });
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (identity(records[i - 1]) != identity(records[i])) continue;
    throw DataError("there are two records of " + records[i].experiment + ", " + records[i].regime +
                    ", " + records[i].method + ", seed " + std::to_string(records[i].seed));
  }
  return records;
}

std::vector<std::vector<ResultRecord>> by_experiment(const std::vector<ResultRecord>& records) {
  std::map<std::string, std::vector<ResultRecord>> parts;
  for (const ResultRecord& record : records) parts[record.experiment].push_back(record);
  std::vector<std::vector<ResultRecord>> result;
  for (auto& [name, own] : parts) result.push_back(std::move(own));
  return result;
}

}  // namespace cubcal::results
