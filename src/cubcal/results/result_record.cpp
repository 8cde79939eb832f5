#include "cubcal/results/result_record.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <tuple>

#include "cubcal/core/error.h"
#include "cubcal/core/path_part.h"
#include "cubcal/io/folder_entries.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/utf8.h"
#include "cubcal/results/result_format.h"

namespace cubcal::results {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxRecordBytes = 16 << 20;
constexpr const char* kOwner = "result";

Measured measured_of(const JsonFields& values, const JsonFields& intervals,
                     const std::string& key) {
  Measured measured;
  measured.value = values.number_or_null(key.c_str());
  if (!intervals.knows(key.c_str())) return measured;
  const std::vector<double> ends = intervals.numbers(key.c_str());
  if (ends.size() != 2) intervals.refuse(key.c_str(), "two numbers", intervals.at(key.c_str()));
  measured.interval = {ends[0], ends[1]};
  return measured;
}

/// {"accuracy": 0.9} with {"accuracy": [0.8, 0.95]} beside it.
MetricMap read_metrics(const Json& values, const Json& intervals) {
  MetricMap metrics;
  for (const auto& [key, value] : values.items()) {
    metrics[key] = measured_of(JsonFields(values, kOwner), JsonFields(intervals, kOwner), key);
  }
  return metrics;
}

MetricMap read_measured(const JsonFields& set) {
  return read_metrics(set.at("metrics"), set.at("intervals"));
}

AnswerSpread read_spread(const JsonFields& set) {
  return set.has("spread") ? spread_of(set.at("spread")) : AnswerSpread{};
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
  return json.is_object() && json.contains("format") && json.at("format") == kResultFormat;
}

PostHocResult post_hoc_of(const JsonFields& fields) {
  return {fields.text("method"), fields.number("t_high"), fields.number("t_low"),
          read_measured(fields), read_spread(fields)};
}

ResultRecord from_json(const Json& json) {
  const JsonFields fields(json, kOwner);
  if (!is_result(json) || fields.at("version") != kResultVersion) {
    throw DataError("format and version are not those of a result");
  }
  ResultRecord record;
  record.experiment = fields.text("experiment");
  record.paper = fields.text("paper");
  record.regime = fields.text("regime");
  record.method = fields.text("method");
  record.seed = fields.count("seed");
  for (const std::string* part : {&record.experiment, &record.regime, &record.method}) {
    if (is_path_part(*part)) continue;
    throw DataError("its experiment, regime or method is " + in_quotes(*part) + ": " +
                    kPathPartRule);
  }
  record.device = fields.object("training").text("device");
  record.metrics = read_measured(fields.object("test"));
  record.spread = read_spread(fields.object("test"));
  fields.at("post_hoc");  // needed, if only as an empty list
  for (const JsonFields& each : fields.objects("post_hoc")) {
    record.post_hoc.push_back(post_hoc_of(each));
  }
  for (const JsonFields& each : fields.objects("one_temperature")) {
    record.scaled.push_back({each.number("t"), read_metrics(each.at("metrics"), Json::object())});
  }
  for (const Json& each : fields.at("ood")) record.detectors.push_back(read_detector(each));
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
    throw DataError("'" + path + "' is not a record of a result: " + error.what());
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
