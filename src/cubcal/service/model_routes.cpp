#include "cubcal/boundary/curve.h"
#include "cubcal/boundary/thresholds.h"
#include "cubcal/http/http_error.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal/service/answer_json.h"
#include "cubcal/service/service_routes.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

Json slot_json(const ModelSlot& slot) {
  const ModelVersion active = slot.active();
  const ModelFacts& facts = active.model->facts();
  Json json = version_json(slot.name(), active);
  json["classes"] = facts.class_names;
  json["input"] = {{"height", facts.height}, {"width", facts.width}, {"channels", facts.channels}};
  json["eta"] = facts.eta;
  json["seed"] = facts.seed;
  json["policy"] = policy_json(facts);
  json["versions"] = Json::array();
  for (const ModelVersion& each : slot.versions()) {
    json["versions"].push_back({{"version", each.number},
                                {"weights_hash", each.model->facts().weights_hash},
                                {"description_hash", each.model->facts().description_hash},
                                {"loaded", each.loaded},
                                {"answers", each.number == active.number}});
  }
  return json;
}

}  // namespace

HttpResponse Service::models(const Call&) {
  Json list = Json::array();
  for (const auto& slot : slots_) list.push_back(slot_json(*slot));
  return json_response({{"program", program_text()}, {"models", list}});
}

HttpResponse Service::model(const Call& call) {
  return json_response(slot_json(slot_named(call.names.at(0))));
}

HttpResponse Service::boundary(const Call& call) {
  constexpr std::size_t kPoints = 100;
  const ModelFacts& facts = slot_named(call.names.at(0)).active().model->facts();
  const std::size_t classes = facts.class_names.size();
  const double least = 1 / static_cast<double>(classes);
  Json json = {{"eta", facts.eta},
               {"refer_above", facts.refer_above},
               {"gamma", kDefaultGamma},
               {"classes", classes},
               {"confidence", Json::array()},
               {"least", Json::array()},
               {"most", Json::array()},
               {"ideal", Json::array()}};
  for (std::size_t i = 0; i <= kPoints; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(kPoints);
    const double c = i == kPoints ? 1 : least + (1 - least) * share;
    json["confidence"].push_back(c);
    json["least"].push_back(u_min_attainable(c, classes));
    json["most"].push_back(u_max(c, classes));
    json["ideal"].push_back(u_ideal(c, classes, std::max(kDefaultGamma, least)));
  }
  return json_response(json);
}

HttpResponse Service::load_version(const Call& call) {
  ModelSlot& slot = slot_named(call.names.at(0));
  slot.load();
  return json_response(slot_json(slot));
}

HttpResponse Service::promote_version(const Call& call) {
  ModelSlot& slot = slot_named(call.names.at(0));
  std::size_t number = slot.versions().back().number;
  if (!call.field("version").empty()) number = number_field("version", call.field("version"));
  slot.promote(number);
  return json_response(slot_json(slot));
}

HttpResponse Service::roll_back(const Call& call) {
  ModelSlot& slot = slot_named(call.names.at(0));
  slot.roll_back();
  return json_response(slot_json(slot));
}

}  // namespace cubcal
