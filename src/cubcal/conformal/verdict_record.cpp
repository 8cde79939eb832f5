#include "cubcal/conformal/verdict_record.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "cubcal/core/check.h"
#include "cubcal/io/json_fields.h"

namespace cubcal {

namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kOwner = "verdict policy";

Json rates_to_json(const VerdictRates& rates) {
  return {{"samples", rates.samples},
          {"accepted", rates.accepted},
          {"referred", rates.referred},
          {"out_of_scope", rates.out_of_scope},
          {"errors", rates.errors}};
}

Json list_to_json(const std::vector<VerdictRates>& all) {
  Json list = Json::array();
  for (const VerdictRates& each : all) list.push_back(rates_to_json(each));
  return list;
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

std::vector<VerdictRates> by_class_from_fields(const JsonFields& fields, const char* name) {
  std::vector<VerdictRates> all;
  for (const JsonFields& each : fields.objects(name)) {
    all.push_back(rates_from_fields(each, "images of a class"));
  }
  return all;
}

std::optional<VerdictRates> optional_rates(const JsonFields& fields, const char* name) {
  if (!fields.knows(name)) return std::nullopt;
  return rates_from_fields(fields.object(name), "other images");
}

Json costs_to_json(const std::optional<VerdictCosts>& costs) {
  if (!costs) return {};
  return {{"referral", costs->referral}, {"wrong", costs->wrong}};
}

std::optional<VerdictCosts> costs_from_fields(const JsonFields& fields) {
  if (!fields.knows("costs")) return std::nullopt;
  const JsonFields costs = fields.object("costs");
  VerdictCosts result;
  result.referral = costs.number("referral");
  result.wrong = costs.numbers("wrong");
  return result;
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
  if (!policy.knows("sets")) return std::nullopt;
  const JsonFields fields = policy.object("sets");
  ConformalRule rule;
  rule.options.alpha = fields.number("alpha");
  rule.options.score.score = score_from_name(fields.text("score"));
  rule.options.score.penalty = fields.number("penalty");
  rule.options.score.free_classes = fields.count("free_classes");
  rule.options.by_class = fields.flag("by_class");
  rule.classes = fields.count("classes");
  const Json& cells = fields.at("cells");
  if (!cells.is_array() || cells.size() != (rule.options.by_class ? rule.classes : 1)) {
    fields.refuse("cells", "a list of one, or of one for each class", cells);
  }
  for (const Json& each : cells) {
    const JsonFields cell(each, kOwner);
    rule.cells[""].push_back(
        {cell.count("samples"),
         cell.number_or_null("threshold").value_or(std::numeric_limits<double>::infinity())});
  }
  return rule;
}

}  // namespace

Json verdict_record_to_json(const VerdictRecord& record) {
  Json probes = Json::array();
  for (const ProbeRates& each : record.probes) {
    Json probe = {{"probe", each.name}};
    probe.update(rates_to_json(each.rates));
    probes.push_back(std::move(probe));
  }
  const VerdictOptions& options = record.options;
  Json misses = Json::array();
  for (const MissTarget& each : options.miss_targets) {
    misses.push_back({{"label", each.label}, {"share", each.share}});
  }
  Json floors = Json::array();
  for (const SensitivityFloor& each : options.sensitivity_floors) {
    floors.push_back({{"label", each.label}, {"share", each.share}});
  }
  const VerdictOutcome& achieved = record.achieved;
  return {{"detector", record.detector},
          {"passes", record.passes},
          {"calibration", record.calibration},
          {"alpha", options.alpha},
          {"risk_target", json_or_null(options.risk_target)},
          {"risk_confidence", json_or_null(options.risk_confidence)},
          {"miss_targets", misses},
          {"sensitivity_floors", floors},
          {"costs", costs_to_json(options.costs)},
          {"uncertainty_threshold", record.sets ? Json() : Json(record.uncertainty)},
          {"sets", sets_to_json(record.sets)},
          {"validation", rates_to_json(record.validation)},
          {"validation_by_class", list_to_json(record.validation_by_class)},
          {"achieved", achieved.id ? rates_to_json(*achieved.id) : Json()},
          {"achieved_by_class", list_to_json(achieved.by_class)},
          {"outliers", achieved.ood ? rates_to_json(*achieved.ood) : Json()},
          {"probes", probes}};
}

VerdictRecord verdict_record_from_json(const Json& json) {
  const JsonFields fields(json, kOwner);
  VerdictRecord record;
  record.detector = fields.text("detector");
  record.passes = fields.count("passes");
  record.calibration = fields.text("calibration");
  VerdictOptions& options = record.options;
  options.alpha = fields.number("alpha");
  options.risk_target = fields.number_or_null("risk_target");
  options.risk_confidence = fields.number_or_null("risk_confidence");
  for (const JsonFields& each : fields.objects("miss_targets")) {
    options.miss_targets.push_back({each.count("label"), each.number("share")});
  }
  for (const JsonFields& each : fields.objects("sensitivity_floors")) {
    options.sensitivity_floors.push_back({each.count("label"), each.number("share")});
  }
  options.costs = costs_from_fields(fields);
  try {
    record.sets = sets_from_fields(fields);
    if (record.sets) options.sets = record.sets->options;
    record.uncertainty = record.sets ? std::numeric_limits<double>::infinity()
                                     : fields.number("uncertainty_threshold");
    check_verdict_options(options);
    check_at_least("the uncertainty threshold", record.uncertainty, 0);
  } catch (const ArgumentError& error) {
    throw DataError(std::string("the verdict policy is not usable: ") + error.what());
  }
  record.validation = rates_from_fields(fields.object("validation"), "validation");
  record.validation_by_class = by_class_from_fields(fields, "validation_by_class");
  record.achieved.id = optional_rates(fields, "achieved");
  record.achieved.by_class = by_class_from_fields(fields, "achieved_by_class");
  record.achieved.ood = optional_rates(fields, "outliers");
  for (const JsonFields& each : fields.objects("probes")) {
    record.probes.push_back({each.text("probe"), rates_from_fields(each, "probes")});
  }
  return record;
}

}  // namespace cubcal
