#include "cubcal/results/result_record.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cubcal/core/error.h"
#include "cubcal/core/path_part.h"
#include "cubcal/io/folder_entries.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/utf8.h"

namespace cubcal::results {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kFormat = "cubcal-result";
constexpr int kFormatVersion = 1;
constexpr std::size_t kMaxRecordBytes = 16 << 20;

/// A field of `json`, or the DataError that names it.
const Json& field(const Json& json, const char* name) {
  if (!json.is_object() || !json.contains(name)) {
    throw DataError("the field '" + std::string(name) + "' is missing");
  }
  return json.at(name);
}

template <class Value>
Value value_of(const Json& json, const std::string& name) {
  try {
    return field(json, name.c_str()).get<Value>();
  } catch (const Json::exception&) {
    throw DataError("the field '" + name + "' is of the wrong type");
  }
}

std::pair<double, double> read_interval(const Json& json, const std::string& name) {
  const auto ends = value_of<std::array<double, 2>>(json, name);
  return {ends[0], ends[1]};
}

/// {"accuracy": 0.9} with {"accuracy": [0.8, 0.95]} beside it.
MetricMap read_metrics(const Json& values, const Json& intervals) {
  MetricMap metrics;
  for (const auto& [key, value] : values.items()) {
    Measured& measured = metrics[key];
    if (!value.is_null()) measured.value = value_of<double>(values, key);
    if (intervals.is_object() && intervals.contains(key) && !intervals.at(key).is_null()) {
      measured.interval = read_interval(intervals, key);
    }
  }
  return metrics;
}

MetricMap read_measured(const Json& set) {
  return read_metrics(field(set, "metrics"), field(set, "intervals"));
}

AnswerSpread read_spread(const Json& set) {
  return set.contains("spread") ? spread_of(set.at("spread")) : AnswerSpread{};
}

MetricMap by_name(const DetectionRecord& detection) {
  MetricMap metrics;
  const std::pair<const char*, const Measured*> shares[] = {
      {"auroc", &detection.auroc}, {"aupr", &detection.aupr}, {"fpr95", &detection.fpr95}};
  for (const auto& [name, share] : shares) {
    if (share->value) metrics[name] = *share;
  }
  return metrics;
}

DetectorResult read_detector(const Json& json) {
  const DetectorRecord row = detector_of(json);
  DetectorResult result{row.detector, row.title, by_name(row.all), {}};
  for (const DetectorRecord::Category& category : row.categories) {
    result.categories[category.name] = by_name(category.detection);
  }
  return result;
}

bool is_result(const Json& json) {
  return json.is_object() && json.contains("format") && json.at("format") == kFormat;
}

ResultRecord from_json(const Json& json) {
  if (!is_result(json) || field(json, "version") != kFormatVersion) {
    throw DataError("format and version are not those of a result");
  }
  ResultRecord record;
  record.experiment = value_of<std::string>(json, "experiment");
  record.paper = value_of<std::string>(json, "paper");
  record.regime = value_of<std::string>(json, "regime");
  record.method = value_of<std::string>(json, "method");
  record.seed = value_of<std::uint64_t>(json, "seed");
  for (const std::string* part : {&record.experiment, &record.regime, &record.method}) {
    if (is_path_part(*part)) continue;
    throw DataError("its experiment, regime or method is " + in_quotes(*part) + ": " +
                    kPathPartRule);
  }
  record.device = value_of<std::string>(field(json, "training"), "device");
  record.metrics = read_measured(field(json, "test"));
  record.spread = read_spread(field(json, "test"));
  for (const Json& each : field(json, "post_hoc")) {
    record.post_hoc.push_back({value_of<std::string>(each, "method"),
                               value_of<double>(each, "t_high"), value_of<double>(each, "t_low"),
                               read_measured(each), read_spread(each)});
  }
  for (const Json& each : json.value("one_temperature", Json::array())) {
    record.scaled.push_back(
        {value_of<double>(each, "t"), read_metrics(field(each, "metrics"), Json::object())});
  }
  for (const Json& each : field(json, "ood")) record.detectors.push_back(read_detector(each));
  return record;
}

Json read_json(const std::string& path) {
  const std::string text = read_text_file(path, kMaxRecordBytes);
  if (text.empty()) throw DataError("'" + path + "' is empty");
  return parse_json(text, "'" + path + "'");
}

ResultRecord named_record(const Json& json, const std::string& path) {
  try {
    ResultRecord record = from_json(json);
    record.path = path;
    return record;
  } catch (const DataError& error) {
    throw DataError("'" + path + "' is no record of a result: " + error.what());
  }
}

void search_folder(const std::string& folder, std::vector<ResultRecord>& records) {
  for (const FolderEntry& entry : folder_entries(folder)) {
    const std::string path = (std::filesystem::path(folder) / entry.name).string();
    if (entry.is_folder && !entry.is_link) search_folder(path, records);
    if (std::filesystem::path(path).extension() != ".json" || !entry.is_file) continue;
    const Json json = read_json(path);
    if (is_result(json)) records.push_back(named_record(json, path));
  }
}

auto identity(const ResultRecord& record) {
  return std::tie(record.experiment, record.regime, record.method, record.seed);
}

}  // namespace

ResultRecord read_result_record(const std::string& path) {
  return named_record(read_json(path), path);
}

std::vector<ResultRecord> read_result_records(const std::vector<std::string>& paths) {
  std::vector<ResultRecord> records;
  for (const std::string& path : paths) {
    if (std::filesystem::is_directory(path)) {
      search_folder(path, records);
    } else {
      records.push_back(read_result_record(path));
    }
  }
  if (records.empty())
    throw ArgumentError("there is no record (*.json) in '" + paths.front() + "'");
  std::sort(records.begin(), records.end(), [](const ResultRecord& a, const ResultRecord& b) {
    return std::tuple_cat(identity(a), std::tie(a.path)) <
           std::tuple_cat(identity(b), std::tie(b.path));
  });
  for (std::size_t i = 1; i < records.size(); ++i) {
    if (identity(records[i - 1]) != identity(records[i])) continue;
    throw DataError("there are two records of " + records[i].experiment + ", " + records[i].regime +
                    ", " + records[i].method + ", seed " + std::to_string(records[i].seed) + ": '" +
                    records[i - 1].path + "' and '" + records[i].path + "'");
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
