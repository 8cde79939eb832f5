#include "cubcal/record/run_record.h"

#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/record/record_limits.h"
#include "cubcal/record/settings_json.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kRunFormat = "cubcal-run";
constexpr std::int64_t kRunVersion = 1;

Json to_json(const KeptModel& model) {
  return {{"epoch", model.epoch.value_or(0)}, {"validation", model.validation}};
}

KeptModel kept_model(const std::optional<JsonFields>& fields) {
  KeptModel model;
  if (!fields) return model;
  fields->read("epoch", model.epoch);
  fields->read("validation", model.validation);
  return model;
}

StageRecord stage_of(const JsonFields& fields) {
  StageRecord stage;
  fields.read("method", stage.method);
  fields.read("epochs", stage.epochs);
  fields.read("stopped_early", stage.stopped_early);
  fields.read("monitored", stage.monitored);
  fields.read("seconds", stage.seconds);
  stage.best = kept_model(fields.known_object("best"));
  stage.last = kept_model(fields.known_object("last"));
  return stage;
}

/// Records of before both were kept have neither.
void check_format(const JsonFields& fields) {
  std::string format = kRunFormat;
  fields.read("format", format);
  if (format != kRunFormat) throw DataError("its format is '" + format + "'");
  std::int64_t version = kRunVersion;
  fields.read("version", version);
  if (version == kRunVersion) return;
  throw DataError("it is of version " + std::to_string(version) + ", and cubcal reads " +
                  std::to_string(kRunVersion));
}

DistributedRecord distributed_of(const JsonFields& fields) {
  DistributedRecord ranks;
  fields.read("ranks", ranks.ranks);
  fields.read("split", ranks.split);
  fields.read("backend", ranks.backend);
  return ranks;
}

RunRecord record_of(const Json& json) {
  const JsonFields fields(json, "run");
  check_format(fields);
  RunRecord record;
  fields.read("program", record.program);
  fields.read("libtorch", record.libtorch);
  fields.read("device", record.device);
  fields.read("precision", record.precision);
  fields.read("threads", record.threads);
  fields.read("convolution", record.convolution);
  if (const auto ranks = fields.known_object("distributed")) {
    record.distributed = distributed_of(*ranks);
  }
  fields.read("seed", record.seed);
  fields.read("network", record.network);
  if (const auto data = fields.known_object("data")) {
    data->read("name", record.data);
    data->read("hash", record.data_hash);
  }
  if (const auto recipe = fields.known_object("recipe")) {
    recipe->read("text", record.recipe);
    recipe->read("hash", record.recipe_hash);
    if (recipe->knows("settings")) record.settings = settings_of(recipe->at("settings"));
  }
  fields.read("pretrained_hash", record.pretrained_hash);
  fields.read("prior_precision", record.prior_precision);
  for (const JsonFields& stage : fields.objects("stages")) record.stages.push_back(stage_of(stage));
  return record;
}

}  // namespace

void write_run_record(const std::string& path, const RunRecord& record) {
  Json json;
  json["format"] = kRunFormat;
  json["version"] = kRunVersion;
  json["program"] = record.program;
  json["libtorch"] = record.libtorch;
  json["device"] = record.device;
  json["precision"] = record.precision;
  json["threads"] = record.threads.value_or(0);
  json["convolution"] = record.convolution;
  if (record.distributed) {
    json["distributed"] = {{"ranks", record.distributed->ranks},
                           {"split", record.distributed->split},
                           {"backend", record.distributed->backend}};
  }
  json["seed"] = record.seed.value_or(0);
  json["network"] = record.network;
  json["data"] = {{"name", record.data}, {"hash", record.data_hash}};
  json["recipe"] = {{"text", record.recipe}, {"hash", record.recipe_hash}};
  json["recipe"]["settings"] = settings_json(record.settings);
  if (!record.pretrained_hash.empty()) json["pretrained_hash"] = record.pretrained_hash;
  if (record.prior_precision) json["prior_precision"] = *record.prior_precision;
  json["stages"] = Json::array();
  for (const StageRecord& stage : record.stages) {
    json["stages"].push_back({{"method", stage.method},
                              {"epochs", stage.epochs.value_or(0)},
                              {"stopped_early", stage.stopped_early},
                              {"monitored", stage.monitored},
                              {"seconds", stage.seconds.value_or(0)},
                              {"best", to_json(stage.best)},
                              {"last", to_json(stage.last)}});
  }
  refuse_link(path);
  write_file_atomically(path, json.dump(2) + "\n");
}

RunRecord read_run_record(const std::string& path) {
  const Json json = load_json(path, kMostRecordBytes);
  if (!json.is_object()) throw DataError("'" + path + "' is not a JSON object");
  RunRecord record;
  try {
    record = record_of(json);
  } catch (const DataError& error) {
    throw DataError("'" + path + "' is not the record of a run: " + error.what());
  }
  if (!record.recipe_hash.empty()) {
    check_content_hash(record.recipe, record.recipe_hash, "the recipe in '" + path + "'");
  }
  return record;
}

}  // namespace cubcal
