#include "cubcal/record/detector_record.h"

#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/core/tolerances.h"
#include "cubcal/io/json_fields.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

struct ShareField {
  const char* name;
  Measured DetectionRecord::*place;
};
constexpr ShareField kShares[] = {{"auroc", &DetectionRecord::auroc},
                                  {"aupr", &DetectionRecord::aupr},
                                  {"fpr95", &DetectionRecord::fpr95}};

std::string interval_name(const ShareField& field) { return std::string(field.name) + "_interval"; }

void add(Json& json, const DetectionRecord& detection) {
  for (const ShareField& field : kShares) {
    const Measured& share = detection.*field.place;
    if (!share.value) continue;
    json[field.name] = *share.value;
    if (share.interval) {
      json[interval_name(field)] = Json::array({share.interval->first, share.interval->second});
    }
  }
}

/// From 0 to 1, which rounding may pass.
bool is_share(const Json& json) {
  return json.is_number() && json.get<double>() >= -kBoundSlack &&
         json.get<double>() <= 1 + kBoundSlack;
}

DetectionRecord detection_of(const Json& json, bool all_needed) {
  DetectionRecord detection;
  for (const ShareField& field : kShares) {
    const auto found = json.find(field.name);
    const bool may_be_absent = !all_needed && field.place != &DetectionRecord::auroc;
    if (found == json.end() && may_be_absent) continue;
    if (found == json.end() || !is_share(*found)) {
      throw DataError("a row needs '" + std::string(field.name) + "', a share from 0 to 1");
    }
    Measured& share = detection.*field.place;
    share.value = found->get<double>();
    const auto interval = json.find(interval_name(field));
    if (interval == json.end()) continue;
    if (!interval->is_array() || interval->size() != 2 || !is_share(interval->at(0)) ||
        !is_share(interval->at(1))) {
      throw DataError("a row's '" + interval_name(field) + "' is not a pair of shares from 0 to 1");
    }
    share.interval = {interval->at(0).get<double>(), interval->at(1).get<double>()};
  }
  return detection;
}

}  // namespace

Json to_json(const DetectorRecord& row) {
  Json json = {{"detector", row.detector}, {"title", row.title}};
  add(json, row.all);
  json["categories"] = Json::object();
  for (const DetectorRecord::Category& category : row.categories) {
    Json& entry = json["categories"][category.name];
    entry = Json::object();
    if (category.samples) entry["samples"] = *category.samples;
    add(entry, category.detection);
  }
  return json;
}

DetectorRecord detector_of(const Json& json) {
  if (!json.is_object()) throw DataError("a row is not a JSON object");
  DetectorRecord row{text_in(json, "detector"), text_in(json, "title"), detection_of(json, true)};
  const auto categories = json.find("categories");
  if (categories == json.end()) return row;
  if (!categories->is_object()) throw DataError("a row's 'categories' is not a JSON object");
  for (const auto& [name, entry] : categories->items()) {
    if (!entry.is_object()) throw DataError("a row's category is not a JSON object");
    DetectorRecord::Category category{name, {}, detection_of(entry, false)};
    const auto samples = entry.find("samples");
    if (samples != entry.end() && samples->is_number_unsigned()) {
      category.samples = samples->get<std::size_t>();
    }
    row.categories.push_back(std::move(category));
  }
  return row;
}

}  // namespace cubcal
