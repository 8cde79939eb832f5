#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal_nn/ood/registry.h"
#include "cubcal_nn/ood/verdict.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

VerdictPolicy from_fields(const Json& json) {
  const JsonFields fields(json, "verdict policy");
  VerdictPolicy policy;
  policy.detector = fields.text("detector");
  detector_entry(policy.detector);
  policy.features = feature_source_from_name(fields.text("features"));
  policy.passes = fields.count("passes");
  policy.calibration = fields.text("calibration");
  policy.options = {fields.number("alpha"), fields.number_or_null("risk_target"),
                    fields.number_or_null("risk_confidence")};
  check_verdict_options(policy.options);
  policy.uncertainty = fields.number("uncertainty_threshold");
  check_at_least("the uncertainty threshold", policy.uncertainty, 0);
  const JsonFields validation = fields.object("validation");
  VerdictRates& rates = policy.validation;
  rates = {validation.count("samples"), validation.count("accepted"), validation.count("referred"),
           validation.count("out_of_scope"), validation.count("errors")};
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
                     {"risk_target", json_or_null(policy.options.risk_target)},
                     {"risk_confidence", json_or_null(policy.options.risk_confidence)},
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
