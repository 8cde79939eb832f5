#include <nlohmann/json.hpp>

#include "cubcal/core/error.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal_nn/ood/registry.h"
#include "cubcal_nn/ood/verdict.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

VerdictPolicy policy_of(const Json& json) {
  VerdictPolicy policy;
  static_cast<VerdictRecord&>(policy) = verdict_record_from_json(json);
  detector_entry(policy.detector);
  policy.features = feature_source_from_name(JsonFields(json, "verdict policy").text("features"));
  return policy;
}

}  // namespace

std::string verdict_to_json(const VerdictPolicy& policy) {
  Json json = {{"detector", policy.detector}, {"features", feature_source_name(policy.features)}};
  json.update(verdict_record_to_json(policy));
  return json.dump(2) + "\n";
}

VerdictPolicy verdict_from_json(const std::string& document) {
  try {
    return policy_of(parse_json(
        document, "a verdict policy must be a JSON object as cubcal writes it, and this text"));
  } catch (const Json::exception&) {
    throw DataError("a verdict policy must be a JSON object as cubcal writes it");
  } catch (const ArgumentError& error) {
    throw DataError(std::string("the verdict policy is not usable: ") + error.what());
  }
}

}  // namespace cubcal
