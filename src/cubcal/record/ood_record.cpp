#include "cubcal/record/ood_record.h"

#include "cubcal/core/error.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/record/record_limits.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOodFormat = "cubcal-ood";
constexpr int kOodVersion = 1;

void add_setup(const OodSetup& setup, Json& json) {
  json["fit_split"] = setup.fit_split;
  json["id_split"] = setup.id_split;
  json["ood_split"] = setup.ood_split;
  json["features"] = setup.features;
  json["passes"] = setup.passes;
  json["seed"] = setup.seed;
  json["epsilon"] = json_or_null(setup.epsilon);
}

void add_table(const OodTableRecord& table, Json& json) {
  json["bootstrap"] = {{"replicates", table.replicates},
                       {"level", table.level},
                       {"seed", table.seed},
                       {"by", table.by_group ? "group" : "sample"}};
  json["rows"] = Json::array();
  for (const DetectorRecord& row : table.rows) json["rows"].push_back(to_json(row));
}

}  // namespace

Json to_json(const OodRecord& record) {
  Json json = {{"format", kOodFormat}, {"version", kOodVersion}};
  if (record.setup) {
    json["program"] = record.setup->program;
    json["model"] = record.setup->model;
  }
  json["data"] = record.data;
  if (record.setup) add_setup(*record.setup, json);
  if (record.table) add_table(*record.table, json);
  if (!record.referral.is_null()) json["referral"] = record.referral;
  if (!record.verdict.is_null()) json["verdict"] = record.verdict;
  return json;
}

std::vector<DetectorRecord> read_detectors(const std::string& path) {
  const Json json = load_json(path, kMostRecordBytes);
  if (!json.is_object() || text_in(json, "format") != kOodFormat) {
    throw DataError("'" + path + "' is not a table of detectors: its format must be '" +
                    kOodFormat + "'");
  }
  std::vector<DetectorRecord> rows;
  try {
    for (const Json& row : json.value("rows", Json::array())) rows.push_back(detector_of(row));
  } catch (const DataError& error) {
    throw DataError("'" + path + "' cannot be read: " + error.what());
  }
  return rows;
}

}  // namespace cubcal
