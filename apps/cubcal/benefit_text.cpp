#include "benefit_text.h"

#include <cmath>
#include <nlohmann/json.hpp>

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

bool has_policy(const BenefitResult& result) { return result.curve.subject() == Strategy::kPolicy; }

std::size_t index_of(Strategy strategy) { return static_cast<std::size_t>(strategy); }

std::string percent_text(double share) { return fixed(100 * share, 1); }

/// Net benefits have four decimals, costs four digits.
std::string value_text(const BenefitResult& result, double value) {
  if (!is_cost(result)) return fixed(value, 4);
  const bool is_whole = std::abs(value) >= 1000 && std::abs(value) < 1e9;
  return is_whole ? fixed(value, 0) : significant(value, 4);
}

std::string value_interval(const BenefitResult& result, const std::optional<Interval>& interval) {
  if (!interval) return "–";
  return "[" + value_text(result, interval->low) + ", " + value_text(result, interval->high) + "]";
}

/// "0.05 to 0.2 and 0.3".
std::string ranges_text(const std::vector<ThresholdRange>& ranges) {
  std::string text;
  for (std::size_t r = 0; r < ranges.size(); ++r) {
    if (r > 0) text += r + 1 == ranges.size() ? " and " : ", ";
    text += to_text(ranges[r].first);
    if (ranges[r].last > ranges[r].first) text += " to " + to_text(ranges[r].last);
  }
  return text;
}

std::string joined(const std::vector<std::string>& words, const std::string& between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

/// "NB = TP/N − pt/(1−pt)·FP/N − 0.02·R/N".
std::string formula_text(const BenefitResult& result) {
  const Prices& prices = result.curve.options.prices;
  std::string text;
  if (is_cost(result)) {
    text = "cost = 1000·(" + to_text(prices.miss) + "·missed + " + to_text(*prices.false_alarm) +
           "·false alarms";
  } else {
    text = "NB = TP/N − pt/(1−pt)·FP/N";
  }
  const auto term = [&](double price, const std::string& what, const std::string& symbol) {
    return is_cost(result) ? " + " + to_text(price) + "·" + what
                           : " − " + to_text(price) + "·" + symbol + "/N";
  };
  const double out = result.curve.points.front().outcome(Strategy::kPolicy).out_of_scope;
  if (prices.referral && !prices.out_of_scope && out > 0) {
    text += term(*prices.referral, "(referred + out of scope)", "(R + O)");
  } else if (prices.referral) {
    text += term(*prices.referral, "referred", "R");
  }
  if (prices.out_of_scope) text += term(*prices.out_of_scope, "out of scope", "O");
  return text + (is_cost(result) ? ")/N" : "");
}

std::string policy_text(const BenefitChoice& choice) {
  if (!choice.verdict_column.empty()) return "as the column '" + choice.verdict_column + "' says";
  std::string text;
  if (choice.refer_above) {
    text = "refer where U > " + to_text(*choice.refer_above) + " nats";
  }
  if (!choice.scope_column.empty()) {
    text += std::string(text.empty() ? "" : ", ") + "out of scope where the column '" +
            choice.scope_column + "' says";
  }
  return text + ", else accept";
}

/// What a referred case yields: no number here holds without it.
std::string assumption_text(const Expert& expert) {
  if (expert.sensitivity == 1 && expert.specificity == 1) {
    return "a referred case is answered by an expert who is always right";
  }
  return "a referred case is answered by an expert who finds " + to_text(100 * expert.sensitivity) +
         "% of the disease and leaves " + to_text(100 * expert.specificity) +
         "% of the healthy alone";
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
    out << ", weighed to a prevalence of " << to_text(100 * point.prevalence) << '%';
  }
  out << "\nTreated   by the model where its probability is at least the threshold pt\n";
  if (has_policy(result)) {
    const StrategyOutcome& policy = point.outcome(Strategy::kPolicy);
    out << "Policy    " << policy_text(result.choice) << ": " << percent_text(policy.referred)
        << "% referred (R), " << percent_text(policy.out_of_scope) << "% out of scope (O)\n";
  }
  out << "Worth     " << formula_text(result) << '\n';
  if (result.curve.options.prices.referral) {
    out << "Assumed   " << assumption_text(result.curve.options.expert) << '\n';
  }
  out << '\n';
}

std::vector<std::string> shown_header(const BenefitResult& result) {
  std::vector<std::string> header{"threshold"};
  for (const Strategy strategy : result.curve.strategies) {
    header.emplace_back(strategy_label(strategy).label);
    if (strategy == result.curve.subject() && result.bootstrap) {
      header.push_back(to_text(100 * result.bootstrap->level) + "% interval");
    }
  }
  header.insert(header.end(), {"missed %", "false alarms %"});
  if (has_policy(result)) header.emplace_back("referral worth");
  return header;
}

std::vector<std::string> shown_row(const BenefitResult& result, std::size_t p) {
  const BenefitCurve& curve = result.curve;
  const BenefitPoint& point = curve.points[p];
  std::vector<std::string> row{significant(point.threshold, 4)};
  for (const Strategy strategy : curve.strategies) {
    row.push_back(value_text(result, point.value(strategy)));
    if (strategy == curve.subject() && result.bootstrap) {
      row.push_back(value_interval(result, curve.intervals[p].values[index_of(strategy)]));
    }
  }
  const StrategyOutcome& subject = point.outcome(curve.subject());
  row.push_back(percent_text(subject.missed));
  row.push_back(percent_text(subject.false_alarms));
  if (has_policy(result)) {
    row.push_back(point.break_even ? value_text(result, *point.break_even) : "–");
  }
  return row;
}

/// At most so many rows, evenly chosen, the first among them.
std::size_t row_stride(std::size_t rows) { return (rows + kMostRowsShown - 1) / kMostRowsShown; }

/// The point where the policy gains most on answering everything.
std::size_t widest_lead(const BenefitCurve& curve) {
  std::size_t best = 0;
  const auto lead = [&](std::size_t p) {
    return curve.lead(p, Strategy::kPolicy, Strategy::kAnswerAll);
  };
  for (std::size_t p = 1; p < curve.points.size(); ++p) {
    if (lead(p) > lead(best)) best = p;
  }
  return best;
}

/// "The policy is best of the 5 at thresholds 0.05 to 0.07; refer all at 0.08 to 0.5."
void print_best(std::ostream& out, const BenefitResult& result) {
  const BenefitCurve& curve = result.curve;
  const bool is_one = curve.points.size() == 1;
  const std::string subject = has_policy(result) ? "The policy" : "Answering everything";
  const std::vector<ThresholdRange> best = best_ranges(curve, curve.subject());
  out << subject << " is ";
  if (best.empty()) {
    out << (is_one ? "not" : "nowhere") << " best of the " << curve.strategies.size();
  } else {
    out << "best of the " << curve.strategies.size() << " at "
        << (is_one ? "this threshold" : "thresholds " + ranges_text(best));
  }
  if (result.bootstrap && !best.empty()) {
    const std::vector<ThresholdRange> clear = clearly_best_ranges(curve);
    out << (clear.empty() ? ", but not beyond chance"
            : is_one      ? ", beyond chance"
                          : ", beyond chance at " + ranges_text(clear))
        << " (" << to_text(100 * result.bootstrap->level)
        << "% intervals of its lead over each other)";
  }
  for (auto other = curve.strategies.begin() + 1; other != curve.strategies.end(); ++other) {
    const std::vector<ThresholdRange> ranges = best_ranges(curve, *other);
    if (ranges.empty()) continue;
    out << "; " << strategy_label(*other).label << " is"
        << (is_one ? "" : " at " + ranges_text(ranges));
  }
  out << ".\n";
}

void print_gain(std::ostream& out, const BenefitResult& result) {
  const BenefitCurve& curve = result.curve;
  const bool is_one = curve.points.size() == 1;
  const std::size_t p = widest_lead(curve);
  const double lead = curve.lead(p, Strategy::kPolicy, Strategy::kAnswerAll);
  out << "Against answering everything it " << (lead < 0 ? "loses " : "gains ")
      << value_text(result, std::abs(lead))
      << (is_cost(result) ? " per 1000 patients" : " diseases found per patient");
  if (result.bootstrap && lead >= 0) {
    out << " " << value_interval(result, curve.intervals[p].leads[index_of(Strategy::kAnswerAll)]);
  }
  if (!is_one) {
    out << (lead < 0 ? " at least" : " at most") << ", at threshold "
        << significant(curve.points[p].threshold, 4);
  }
  out << ".\n";
}

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
  TextTable table(shown_header(result));
  const std::size_t rows = result.curve.points.size();
  const std::size_t stride = row_stride(rows);
  for (std::size_t p = 0; p < rows; p += stride) table.add(shown_row(result, p));
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
    out << to_text(100 * result.bootstrap->level) << "% intervals: " << result.bootstrap->replicates
        << " bootstrap replicates of " << (result.bootstrap_by_group ? "whole groups" : "samples")
        << ".\n";
  }
  out << '\n';
  print_best(out, result);
  if (has_policy(result)) print_gain(out, result);
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
  json["formula"] = formula_text(result);
  json["prices"] = prices_json(curve.options.prices);
  json["policy"] = has_policy(result) ? Json(policy_text(result.choice)) : Json();
  json["expert"] = {{"sensitivity", curve.options.expert.sensitivity},
                    {"specificity", curve.options.expert.specificity}};
  json["assumption"] =
      curve.options.prices.referral ? Json(assumption_text(curve.options.expert)) : Json();
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
  table.texts.header = shown_header(result);
  table.csv_header = {"threshold", "strategy",     "value",    "low",         "high",
                      "missed",    "false_alarms", "referred", "out_of_scope"};
  for (std::size_t p = 0; p < curve.points.size(); ++p) {
    table.texts.rows.push_back(shown_row(result, p));
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
