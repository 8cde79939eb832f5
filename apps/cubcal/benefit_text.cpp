#include "benefit_text.h"

#include <nlohmann/json.hpp>

#include "cubcal/benefit/benefit_words.h"
#include "cubcal/core/check.h"
#include "cubcal/evaluation/evaluation_json.h"
#include "cubcal/io/json_fields.h"
#include "cubcal/version.h"
#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

using Json = nlohmann::ordered_json;

/// More rows are thinned on the screen.
constexpr std::size_t kMostRowsShown = 12;

bool is_cost(const BenefitResult& result) { return result.curve.options.prices.are_stated(); }

/// Of the intervals, where there are some.
std::optional<double> level_of(const BenefitResult& result) {
  if (!result.bootstrap) return std::nullopt;
  return result.bootstrap->level;
}

bool has_policy(const BenefitResult& result) { return result.curve.subject() == Strategy::kPolicy; }

std::size_t index_of(Strategy strategy) { return static_cast<std::size_t>(strategy); }

std::string percent_text(double share) { return fixed(100 * share, 1); }

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

void print_head(std::ostream& out, const BenefitResult& result) {
  const BenefitPoint& point = result.curve.points.front();
  out << result.title << '\n'
      << (result.calibration
              ? std::string("Calibrated with ") + method_name(result.calibration->method) + ".\n"
              : "")
      << "\nDisease   " << joined(result.positive, ", ") << ": " << result.diseased << " of "
      << result.cases << " samples ("
      << percent_text(static_cast<double>(result.diseased) / static_cast<double>(result.cases))
      << "%)";
  if (result.curve.options.prevalence) {
    out << ", weighed to a prevalence of " << significant(100 * point.prevalence, 6) << '%';
  }
  out << "\nTreated   by the model where its probability is at least the threshold pt\n";
  if (has_policy(result)) {
    const StrategyOutcome& policy = point.outcome(Strategy::kPolicy);
    out << "Policy    " << policy_words(result.choice) << ": " << percent_text(policy.referred)
        << "% referred (R), " << percent_text(policy.out_of_scope) << "% out of scope (O)\n";
  }
  out << "Worth     " << benefit_formula(result.curve) << '\n';
  if (result.curve.options.prices.referral) {
    out << "Assumed   " << expert_words(result.curve.options.expert) << '\n';
  }
  out << '\n';
}

/// At most so many rows, evenly chosen, the first among them.
std::size_t row_stride(std::size_t rows) { return (rows + kMostRowsShown - 1) / kMostRowsShown; }

Json interval_json(const std::optional<Interval>& interval) {
  return interval ? Json::array({interval->low, interval->high}) : Json();
}

Json ranges_json(const std::vector<ThresholdRange>& ranges) {
  Json rows = Json::array();
  for (const ThresholdRange& range : ranges) rows.push_back({range.first, range.last});
  return rows;
}

Json point_json(const BenefitResult& result, std::size_t p) {
  const BenefitCurve& curve = result.curve;
  const BenefitPoint& point = curve.points[p];
  Json strategies = Json::object();
  for (const Strategy strategy : curve.strategies) {
    const StrategyOutcome& outcome = point.outcome(strategy);
    Json row{{"value", point.value(strategy)},
             {"missed", outcome.missed},
             {"false_alarms", outcome.false_alarms},
             {"referred", outcome.referred},
             {"out_of_scope", outcome.out_of_scope}};
    if (strategy != curve.subject())
      row["lead_of_subject"] = curve.lead(p, curve.subject(), strategy);
    if (result.bootstrap) {
      const BenefitIntervals& intervals = curve.intervals[p];
      row["interval"] = interval_json(intervals.values[index_of(strategy)]);
      if (strategy != curve.subject()) {
        row["lead_interval"] = interval_json(intervals.leads[index_of(strategy)]);
      }
    }
    strategies[strategy_label(strategy).key] = std::move(row);
  }
  Json json{{"threshold", point.threshold}, {"strategies", strategies}};
  if (has_policy(result)) {
    json["referral_worth"] = json_or_null(point.break_even);
    if (result.bootstrap) {
      json["referral_worth_interval"] = interval_json(curve.intervals[p].break_even);
    }
  }
  return json;
}

Json prices_json(const Prices& prices) {
  return {{"miss", prices.miss},
          {"false_alarm", prices.false_alarm ? Json(*prices.false_alarm) : Json("pt / (1 - pt)")},
          {"referral", json_or_null(prices.referral)},
          {"out_of_scope",
           prices.referral ? Json(prices.of_out_of_scope()) : json_or_null(prices.out_of_scope)}};
}

}  // namespace

void print_benefit(std::ostream& out, const BenefitResult& result) {
  print_head(out, result);
  TextTable table(benefit_header(result.curve, level_of(result)));
  const std::size_t rows = result.curve.points.size();
  const std::size_t stride = row_stride(rows);
  for (std::size_t p = 0; p < rows; p += stride) {
    table.add(benefit_row(result.curve, p, level_of(result)));
  }
  out << (is_cost(result) ? "Cost of 1000 patients" : "Net benefit: diseases found per patient")
      << '\n'
      << table;
  if (stride > 1) {
    out << "One in " << stride << " of " << rows << " thresholds is shown.\n";
  }
  if (has_policy(result)) {
    out << "Referral worth: the cost of a referral at which the policy gains nothing on answering "
           "everything.\n";
  }
  if (result.bootstrap) {
    out << significant(100 * result.bootstrap->level, 6)
        << "% intervals: " << result.bootstrap->replicates << " bootstrap replicates of "
        << (result.bootstrap_by_group ? "whole groups" : "samples") << ".\n";
  }
  out << '\n';
  out << best_words(result.curve, level_of(result)) << '\n';
  if (has_policy(result)) out << gain_words(result.curve, level_of(result)) << '\n';
  if (result.diseased == 0 || result.diseased == result.cases) {
    out << (result.diseased == 0 ? "None" : "All")
        << " of the samples have the disease: these numbers say little.\n";
  }
}

std::string benefit_json(const BenefitResult& result) {
  const BenefitCurve& curve = result.curve;
  Json json;
  json["cubcal"] = kVersion;
  json["file"] = result.file;
  json["samples"] = result.cases;
  json["positive"] = result.positive;
  json["diseased"] = result.diseased;
  json["prevalence"] = curve.points.front().prevalence;
  json["unit"] = is_cost(result) ? "cost of 1000 patients" : "diseases found per patient";
  json["better"] = is_cost(result) ? "lower" : "higher";
  json["formula"] = benefit_formula(result.curve);
  json["prices"] = prices_json(curve.options.prices);
  json["policy"] = has_policy(result) ? Json(policy_words(result.choice)) : Json();
  json["expert"] = {{"sensitivity", curve.options.expert.sensitivity},
                    {"specificity", curve.options.expert.specificity}};
  json["assumption"] =
      curve.options.prices.referral ? Json(expert_words(curve.options.expert)) : Json();
  json["calibration"] =
      result.calibration ? Json::parse(calibration_to_json(*result.calibration)) : Json();
  json["bootstrap"] =
      result.bootstrap ? bootstrap_json(*result.bootstrap, result.bootstrap_by_group) : Json();
  json["subject"] = strategy_label(curve.subject()).key;
  json["best_at"] = ranges_json(best_ranges(curve, curve.subject()));
  json["clearly_best_at"] = result.bootstrap ? ranges_json(clearly_best_ranges(curve)) : Json();
  Json& points = json["points"] = Json::array();
  for (std::size_t p = 0; p < curve.points.size(); ++p) points.push_back(point_json(result, p));
  return json.dump(2) + "\n";
}

PaperTable benefit_table(const BenefitResult& result) {
  const BenefitCurve& curve = result.curve;
  PaperTable table;
  table.texts.header = benefit_header(curve, level_of(result));
  table.csv_header = {"threshold", "strategy",     "value",    "low",         "high",
                      "missed",    "false_alarms", "referred", "out_of_scope"};
  for (std::size_t p = 0; p < curve.points.size(); ++p) {
    table.texts.rows.push_back(benefit_row(curve, p, level_of(result)));
    const BenefitPoint& point = curve.points[p];
    for (const Strategy strategy : curve.strategies) {
      const StrategyOutcome& outcome = point.outcome(strategy);
      std::vector<std::string> row{to_text(point.threshold), strategy_label(strategy).key,
                                   to_text(point.value(strategy))};
      const std::vector<std::string> ends = exact_interval(
          result.bootstrap ? curve.intervals[p].values[index_of(strategy)] : std::nullopt);
      row.insert(row.end(), ends.begin(), ends.end());
      for (const double share :
           {outcome.missed, outcome.false_alarms, outcome.referred, outcome.out_of_scope}) {
        row.push_back(to_text(share));
      }
      table.csv_rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace cubcal::app
