#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"
#include "cubcal/io/json_text.h"
#include "cubcal_nn/ood/registry.h"
#include "cubcal_nn/ood/verdict.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

const Json& field(const Json& json, const char* name) {
  if (!json.is_object() || !json.contains(name)) {
    throw DataError(std::string("a verdict policy needs the field '") + name + "'");
  }
  return json[name];
}

double number(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_number()) {
    throw DataError(std::string("the verdict policy's field '") + name + "' must be a number");
  }
  return value.get<double>();
}

std::optional<double> number_or_null(const Json& json, const char* name) {
  if (field(json, name).is_null()) return std::nullopt;
  return number(json, name);
}

std::size_t count(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_number_unsigned()) {
    throw DataError(std::string("the verdict policy's field '") + name +
                    "' must be a whole number from 0 on");
  }
  return value.get<std::size_t>();
}

std::string text(const Json& json, const char* name) {
  const Json& value = field(json, name);
  if (!value.is_string()) {
    throw DataError(std::string("the verdict policy's field '") + name + "' must be text");
  }
  return value.get<std::string>();
}

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

VerdictPolicy from_fields(const Json& json) {
  VerdictPolicy policy;
  policy.detector = text(json, "detector");
  detector_entry(policy.detector);
  policy.features = feature_source_from_name(text(json, "features"));
  policy.passes = count(json, "passes");
  policy.calibration = text(json, "calibration");
  policy.options = {number(json, "alpha"), number_or_null(json, "risk_target"),
                    number_or_null(json, "risk_confidence")};
  check_verdict_options(policy.options);
  policy.uncertainty = number(json, "uncertainty_threshold");
  check_at_least("the uncertainty threshold", policy.uncertainty, 0);
  const Json& validation = field(json, "validation");
  VerdictRates& rates = policy.validation;
  rates = {count(validation, "samples"), count(validation, "accepted"),
           count(validation, "referred"), count(validation, "out_of_scope"),
           count(validation, "errors")};
  if (rates.accepted + rates.referred + rates.out_of_scope != rates.samples ||
      rates.errors > rates.accepted) {
    throw DataError("the verdict policy's counts on validation do not add up");
  }
  return policy;
}

}  // namespace

std::string verdict_to_json(const VerdictPolicy& policy) {
  const VerdictRates& rates = policy.validation;
  const Json json = {{"detector", policy.detector},
                     {"features", feature_source_name(policy.features)},
                     {"passes", policy.passes},
                     {"calibration", policy.calibration},
                     {"alpha", policy.options.alpha},
                     {"risk_target", optional_json(policy.options.risk_target)},
                     {"risk_confidence", optional_json(policy.options.risk_confidence)},
                     {"uncertainty_threshold", policy.uncertainty},
                     {"validation",
                      {{"samples", rates.samples},
                       {"accepted", rates.accepted},
                       {"referred", rates.referred},
                       {"out_of_scope", rates.out_of_scope},
                       {"errors", rates.errors}}}};
  return json.dump(2) + "\n";
}

VerdictPolicy verdict_from_json(const std::string& document) {
  try {
    return from_fields(parse_json(
        document,
        "a verdict policy must be a JSON object as this program writes it, and this text"));
  } catch (const Json::exception&) {
    throw DataError("a verdict policy must be a JSON object as this program writes it");
  } catch (const ArgumentError& error) {
    throw DataError(std::string("the verdict policy is not usable: ") + error.what());
  }
}

}  // namespace cubcal
