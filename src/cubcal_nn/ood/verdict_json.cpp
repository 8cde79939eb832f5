#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/io/json_text.h"
#include "cubcal_nn/ood/registry.h"
#include "cubcal_nn/ood/verdict.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

Json rates_to_json(const VerdictRates& rates) {
  return {{"samples", rates.samples},
          {"accepted", rates.accepted},
          {"referred", rates.referred},
          {"out_of_scope", rates.out_of_scope},
          {"errors", rates.errors}};
}

VerdictRates rates_from_fields(const JsonFields& fields, const std::string& what) {
  const VerdictRates rates{fields.count("samples"), fields.count("accepted"),
                           fields.count("referred"), fields.count("out_of_scope"),
                           fields.count("errors")};
  if (rates.accepted + rates.referred + rates.out_of_scope != rates.samples ||
      rates.errors > rates.accepted) {
    throw DataError("the verdict policy's counts on " + what + " do not add up");
  }
  return rates;
}

std::vector<ProbeRates> probes_from_fields(const JsonFields& fields) {
  std::vector<ProbeRates> probes;
  if (!fields.has("probes")) return probes;
  const Json& list = fields.at("probes");
  if (!list.is_array()) fields.refuse("probes", "a list", list);
  for (const Json& each : list) {
    const JsonFields probe(each, "verdict policy");
    const std::string name = probe.text("probe");
    probes.push_back({name, rates_from_fields(probe, "probes")});
  }
  return probes;
}

std::vector<MissTarget> miss_targets_from_fields(const JsonFields& fields) {
  std::vector<MissTarget> targets;
  if (!fields.has("miss_targets")) return targets;
  const Json& list = fields.at("miss_targets");
  if (!list.is_array()) fields.refuse("miss_targets", "a list", list);
  for (const Json& each : list) {
    const JsonFields target(each, "verdict policy");
    targets.push_back({target.count("label"), target.number("share")});
  }
  return targets;
}

/// Null of a rule that decides by U; a threshold that leaves no class out is null, too.
Json sets_to_json(const std::optional<ConformalRule>& sets) {
  if (!sets) return {};
  Json cells = Json::array();
  for (const ConformalCell& cell : sets->cells.at("")) {
    cells.push_back({{"samples", cell.samples},
                     {"threshold", std::isinf(cell.threshold) ? Json() : Json(cell.threshold)}});
  }
  const ConformalOptions& options = sets->options;
  return {{"alpha", options.alpha},
          {"score", score_name(options.score.score)},
          {"penalty", options.score.penalty},
          {"free_classes", options.score.free_classes},
          {"by_class", options.by_class},
          {"classes", sets->classes},
          {"cells", cells}};
}

std::optional<ConformalRule> sets_from_fields(const JsonFields& policy) {
  if (!policy.has("sets") || policy.at("sets").is_null()) return std::nullopt;
  const JsonFields fields = policy.object("sets");
  ConformalRule rule;
  rule.options.alpha = fields.number("alpha");
  rule.options.score.score = score_from_name(fields.text("score"));
  rule.options.score.penalty = fields.number("penalty");
  rule.options.score.free_classes = fields.count("free_classes");
  const Json& by_class = fields.at("by_class");
  if (!by_class.is_boolean()) fields.refuse("by_class", "true or false", by_class);
  rule.options.by_class = by_class.get<bool>();
  rule.classes = fields.count("classes");
  const Json& cells = fields.at("cells");
  if (!cells.is_array() || cells.size() != (rule.options.by_class ? rule.classes : 1)) {
    fields.refuse("cells", "a list of one, or of one for each class", cells);
  }
  for (const Json& each : cells) {
    const JsonFields cell(each, "verdict policy");
    rule.cells[""].push_back(
        {cell.count("samples"),
         cell.number_or_null("threshold").value_or(std::numeric_limits<double>::infinity())});
  }
  return rule;
}

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
  policy.options.miss_targets = miss_targets_from_fields(fields);
  policy.sets = sets_from_fields(fields);
  if (policy.sets) policy.options.sets = policy.sets->options;
  check_verdict_options(policy.options);
  policy.uncertainty = policy.sets ? std::numeric_limits<double>::infinity()
                                   : fields.number("uncertainty_threshold");
  check_at_least("the uncertainty threshold", policy.uncertainty, 0);
  policy.validation = rates_from_fields(fields.object("validation"), "validation");
  policy.probes = probes_from_fields(fields);
  return policy;
}

}  // namespace

std::string verdict_to_json(const VerdictPolicy& policy) {
  Json probes = Json::array();
  for (const ProbeRates& each : policy.probes) {
    Json probe = {{"probe", each.name}};
    probe.update(rates_to_json(each.rates));
    probes.push_back(std::move(probe));
  }
  Json misses = Json::array();
  for (const MissTarget& each : policy.options.miss_targets) {
    misses.push_back({{"label", each.label}, {"share", each.share}});
  }
  const Json json = {{"detector", policy.detector},
                     {"features", feature_source_name(policy.features)},
                     {"passes", policy.passes},
                     {"calibration", policy.calibration},
                     {"alpha", policy.options.alpha},
                     {"risk_target", json_or_null(policy.options.risk_target)},
                     {"risk_confidence", json_or_null(policy.options.risk_confidence)},
                     {"miss_targets", misses},
                     {"uncertainty_threshold", policy.sets ? Json() : Json(policy.uncertainty)},
                     {"sets", sets_to_json(policy.sets)},
                     {"validation", rates_to_json(policy.validation)},
                     {"probes", probes}};
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
