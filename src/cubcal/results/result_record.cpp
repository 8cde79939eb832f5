#include "cubcal/results/result_record.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <tuple>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/core/path_part.h"
#include "cubcal/io/folder_entries.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/io/utf8.h"
#include "cubcal/record/settings_json.h"

namespace cubcal::results {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kResultFormat = "cubcal-result";
constexpr int kResultVersion = 1;
constexpr std::size_t kMaxRecordBytes = 16 << 20;
constexpr const char* kOwner = "result";
/// Beyond any metric (NLL of float32 logits ends at 1e39), and sums of squares stay finite.
constexpr double kMostOfAMetric = 1e100;

/// Doubles below it are whole numbers to the last digit.
constexpr double kMostWholeNumber = 9007199254740992;  // 2^53

/// In the order of metric_infos(), counts as whole numbers; others after them.
Json metrics_json(const MetricMap& metrics) {
  Json json = Json::object();
  for (const MetricInfo& info : metric_infos()) {
    const auto found = metrics.find(info.key);
    if (found == metrics.end()) continue;
    const std::optional<double>& value = found->second.value;
    const bool is_whole =
        value && info.unit == MetricUnit::kCount && std::abs(*value) < kMostWholeNumber;
    json[info.key] = is_whole ? Json(static_cast<std::int64_t>(*value)) : json_or_null(value);
  }
  for (const auto& [key, measured] : metrics) {
    if (!json.contains(key)) json[key] = json_or_null(measured.value);
  }
  return json;
}

Json pair_or_null(const std::optional<std::pair<double, double>>& ends) {
  return ends ? Json::array({ends->first, ends->second}) : Json();
}

/// Metrics, intervals beside them, and the answers behind both.
void add_measured(const MetricMap& metrics, const AnswerSpread& spread, Json& json) {
  json["metrics"] = metrics_json(metrics);
  json["intervals"] = Json::object();
  for (const auto& [key, value] : json["metrics"].items()) {
    json["intervals"][key] = pair_or_null(metrics.at(key).interval);
  }
  if (spread.classes > 0) json["spread"] = to_json(spread);
}

Json split_json(const SplitResult& split) {
  Json json = {{"samples", split.samples}};
  add_measured(split.metrics, split.spread, json);
  return json;
}

Json post_hoc_json(const PostHocResult& result) {
  Json json = {{"method", result.method}, {"t_high", result.t_high}, {"t_low", result.t_low}};
  if (result.box_high) json["box_high"] = *result.box_high;
  if (result.box_low) json["box_low"] = *result.box_low;
  json["warnings"] = result.warnings;
  if (!result.guard.empty()) json["guard"] = result.guard;
  add_measured(result.metrics, result.spread, json);
  return json;
}

Json training_json(const RunRecord& run) {
  Json json = {{"program", run.program},
               {"libtorch", run.libtorch},
               {"precision", run.precision},
               {"network", run.network},
               {"data", {{"name", run.data}, {"hash", run.data_hash}}},
               {"device", run.device},
               {"recipe", run.recipe_hash},
               {"settings", settings_json(run.settings)}};
  if (!run.pretrained_hash.empty()) json["pretrained_hash"] = run.pretrained_hash;
  if (run.prior_precision) json["prior_precision"] = *run.prior_precision;
  json["stages"] = Json::array();
  for (const StageRecord& stage : run.stages) {
    json["stages"].push_back({{"method", stage.method},
                              {"epochs", stage.epochs.value_or(0)},
                              {"seconds", stage.seconds.value_or(0)}});
  }
  return json;
}

std::optional<std::pair<double, double>> known_pair(const JsonFields& fields, const char* name) {
  if (!fields.knows(name)) return std::nullopt;
  const std::vector<double> ends = fields.numbers(name);
  if (ends.size() != 2) fields.refuse(name, "two numbers", fields.at(name));
  return std::make_pair(ends[0], ends[1]);
}

Measured measured_of(const JsonFields& values, const JsonFields& intervals,
                     const std::string& key) {
  const char* name = key.c_str();
  const auto is_beyond = [](double value) { return std::abs(value) > kMostOfAMetric; };
  const std::string accepted =
      "between " + to_text(-kMostOfAMetric) + " and " + to_text(kMostOfAMetric);
  Measured measured{values.number_or_null(name), known_pair(intervals, name)};
  if (measured.value && is_beyond(*measured.value)) {
    values.refuse(name, "a number " + accepted, values.at(name));
  }
  if (measured.interval &&
      (is_beyond(measured.interval->first) || is_beyond(measured.interval->second))) {
    intervals.refuse(name, "two numbers " + accepted, intervals.at(name));
  }
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

bool is_result(const Json& json) {
  return json.is_object() && json.contains("format") && json.at("format") == kResultFormat;
}

SplitResult split_of(const JsonFields& fields) {
  SplitResult split;
  fields.read("samples", split.samples);
  split.metrics = read_measured(fields);
  split.spread = read_spread(fields);
  return split;
}

PostHocResult post_hoc_of(const JsonFields& fields) {
  PostHocResult result;
  result.method = fields.text("method");
  result.t_high = fields.number("t_high");
  result.t_low = fields.number("t_low");
  result.metrics = read_measured(fields);
  result.spread = read_spread(fields);
  result.box_high = known_pair(fields, "box_high");
  result.box_low = known_pair(fields, "box_low");
  fields.read("warnings", result.warnings);
  fields.read("guard", result.guard);
  return result;
}

RunRecord training_of(const JsonFields& fields) {
  RunRecord run;
  run.device = fields.text("device");
  fields.read("program", run.program);
  fields.read("libtorch", run.libtorch);
  fields.read("precision", run.precision);
  fields.read("network", run.network);
  if (const auto data = fields.known_object("data")) {
    data->read("name", run.data);
    data->read("hash", run.data_hash);
  }
  fields.read("recipe", run.recipe_hash);
  if (fields.known_object("settings")) run.settings = settings_of(fields.at("settings"));
  fields.read("pretrained_hash", run.pretrained_hash);
  fields.read("prior_precision", run.prior_precision);
  for (const JsonFields& each : fields.objects("stages")) {
    StageRecord& stage = run.stages.emplace_back();
    each.read("method", stage.method);
    each.read("epochs", stage.epochs);
    each.read("seconds", stage.seconds);
  }
  return run;
}

ResultRecord from_json(const Json& json) {
  const JsonFields fields(json, kOwner);
  if (!is_result(json) || fields.at("version") != kResultVersion) {
    throw DataError("format and version are not those of a result");
  }
  ResultRecord record;
  fields.read("program", record.program);
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
  fields.read("passes", record.passes);
  fields.read("model", record.model);
  record.training = training_of(fields.object("training"));
  if (fields.knows("bootstrap")) record.bootstrap = fields.at("bootstrap");
  if (const auto val = fields.known_object("val")) record.val = split_of(*val);
  record.test = split_of(fields.object("test"));
  fields.at("post_hoc");  // needed, if only as an empty list
  for (const JsonFields& each : fields.objects("post_hoc")) {
    record.post_hoc.push_back(post_hoc_of(each));
  }
  for (const JsonFields& each : fields.objects("one_temperature")) {
    record.scaled.push_back({each.number("t"), read_metrics(each.at("metrics"), Json::object())});
  }
  for (const Json& each : fields.at("ood")) record.detectors.push_back(detector_of(each));
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

MetricMap metric_map(const MetricValues& values, const MetricIntervals& intervals) {
  MetricMap metrics;
  for (const MetricInfo& info : metric_infos()) {
    Measured& measured = metrics[info.key];
    measured.value = values[info.metric];
    const auto& interval = intervals[static_cast<std::size_t>(info.metric)];
    if (interval) measured.interval = {interval->low, interval->high};
  }
  return metrics;
}

Json to_json(const ResultRecord& record) {
  Json json = {{"format", kResultFormat},
               {"version", kResultVersion},
               {"program", record.program},
               {"experiment", record.experiment},
               {"paper", record.paper},
               {"regime", record.regime},
               {"method", record.method},
               {"seed", record.seed},
               {"passes", record.passes},
               {"model", record.model},
               {"training", training_json(record.training)},
               {"bootstrap", record.bootstrap},
               {"val", split_json(record.val)},
               {"test", split_json(record.test)}};
  json["post_hoc"] = Json::array();
  for (const PostHocResult& each : record.post_hoc) {
    json["post_hoc"].push_back(post_hoc_json(each));
  }
  json["one_temperature"] = Json::array();
  for (const ScaledResult& each : record.scaled) {
    json["one_temperature"].push_back(
        {{"t", each.temperature}, {"metrics", metrics_json(each.metrics)}});
  }
  json["ood"] = Json::array();
  for (const DetectorRecord& each : record.detectors) json["ood"].push_back(to_json(each));
  return json;
}

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
  result.reserve(parts.size());
  for (auto& [name, own] : parts) result.push_back(std::move(own));
  return result;
}

}  // namespace cubcal::results
