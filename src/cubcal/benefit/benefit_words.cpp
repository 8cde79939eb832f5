#include "cubcal/benefit/benefit_words.h"

#include <cmath>
#include <sstream>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

bool is_cost(const BenefitCurve& curve) { return curve.options.prices.are_stated(); }

bool has_policy(const BenefitCurve& curve) { return curve.subject() == Strategy::kPolicy; }

std::size_t place_of(Strategy strategy) { return static_cast<std::size_t>(strategy); }

/// Net benefits have four decimals, costs four digits.
std::string value_text(const BenefitCurve& curve, double value) {
  if (!is_cost(curve)) return fixed(value, 4);
  const bool is_whole = std::abs(value) >= 1000 && std::abs(value) < 1e9;
  return is_whole ? fixed(value, 0) : significant(value, 4);
}

std::string value_interval(const BenefitCurve& curve, const std::optional<Interval>& interval) {
  if (!interval) return "–";
  return "[" + value_text(curve, interval->low) + ", " + value_text(curve, interval->high) + "]";
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

}  // namespace

std::string benefit_formula(const BenefitCurve& curve) {
  const Prices& prices = curve.options.prices;
  std::string text;
  if (is_cost(curve)) {
    text = "cost = 1000·(" + to_text(prices.miss) + "·missed + " + to_text(*prices.false_alarm) +
           "·false alarms";
  } else {
    text = "NB = TP/N − pt/(1−pt)·FP/N";
  }
  const auto term = [&](double price, const std::string& what, const std::string& symbol) {
    return is_cost(curve) ? " + " + to_text(price) + "·" + what
                          : " − " + to_text(price) + "·" + symbol + "/N";
  };
  const double out = curve.points.front().outcome(Strategy::kPolicy).out_of_scope;
  if (prices.referral && !prices.out_of_scope && out > 0) {
    text += term(*prices.referral, "(referred + out of scope)", "(R + O)");
  } else if (prices.referral) {
    text += term(*prices.referral, "referred", "R");
  }
  if (prices.out_of_scope) text += term(*prices.out_of_scope, "out of scope", "O");
  return text + (is_cost(curve) ? ")/N" : "");
}

std::string expert_words(const Expert& expert) {
  if (expert.sensitivity == 1 && expert.specificity == 1) {
    return "a referred case is answered by an expert who is always right";
  }
  return "a referred case is answered by an expert who finds " +
         significant(100 * expert.sensitivity, 6) + "% of the disease and leaves " +
         significant(100 * expert.specificity, 6) + "% of the healthy alone";
}

const char* benefit_unit(const BenefitCurve& curve) {
  return is_cost(curve) ? "cost of 1000 patients" : "net benefit: diseases found per patient";
}

std::vector<std::string> benefit_header(const BenefitCurve& curve, std::optional<double> level) {
  std::vector<std::string> header{"threshold"};
  for (const Strategy strategy : curve.strategies) {
    header.emplace_back(strategy_label(strategy).label);
    if (strategy == curve.subject() && level) {
      header.push_back(significant(100 * *level, 6) + "% interval");
    }
  }
  header.insert(header.end(), {"missed, % of all", "false alarms, % of all"});
  if (has_policy(curve)) header.emplace_back("referral worth");
  return header;
}

std::vector<std::string> benefit_row(const BenefitCurve& curve, std::size_t p,
                                     std::optional<double> level) {
  const BenefitPoint& point = curve.points[p];
  std::vector<std::string> row{significant(point.threshold, 4)};
  for (const Strategy strategy : curve.strategies) {
    row.push_back(value_text(curve, point.value(strategy)));
    if (strategy == curve.subject() && level) {
      row.push_back(value_interval(curve, curve.intervals[p].values[place_of(strategy)]));
    }
  }
  const StrategyOutcome& subject = point.outcome(curve.subject());
  row.push_back(in_percent(subject.missed));
  row.push_back(in_percent(subject.false_alarms));
  if (has_policy(curve)) {
    row.push_back(point.break_even ? value_text(curve, *point.break_even) : "–");
  }
  return row;
}

std::string best_words(const BenefitCurve& curve, std::optional<double> level) {
  std::ostringstream out;
  const bool is_one = curve.points.size() == 1;
  const std::string subject = has_policy(curve) ? "The policy" : "Answering everything";
  const std::vector<ThresholdRange> best = best_ranges(curve, curve.subject());
  out << subject << " is ";
  if (best.empty()) {
    out << (is_one ? "not" : "nowhere") << " best of the " << curve.strategies.size();
  } else {
    out << "best of the " << curve.strategies.size() << " at "
        << (is_one ? "this threshold" : "thresholds " + ranges_text(best));
  }
  if (level && !best.empty()) {
    const std::vector<ThresholdRange> clear = clearly_best_ranges(curve);
    out << (clear.empty() ? ", but not beyond chance"
            : is_one      ? ", beyond chance"
                          : ", beyond chance at " + ranges_text(clear))
        << " (" << significant(100 * *level, 6) << "% intervals of its lead over each other)";
  }
  for (auto other = curve.strategies.begin() + 1; other != curve.strategies.end(); ++other) {
    const std::vector<ThresholdRange> ranges = best_ranges(curve, *other);
    if (ranges.empty()) continue;
    out << "; " << strategy_label(*other).label << " is"
        << (is_one ? "" : " at " + ranges_text(ranges));
  }
  out << '.';
  return out.str();
}

std::string gain_words(const BenefitCurve& curve, std::optional<double> level) {
  std::ostringstream out;
  const bool is_one = curve.points.size() == 1;
  const std::size_t p = widest_lead(curve);
  const double lead = curve.lead(p, Strategy::kPolicy, Strategy::kAnswerAll);
  out << "Against answering everything it " << (lead < 0 ? "loses " : "gains ")
      << value_text(curve, std::abs(lead))
      << (is_cost(curve) ? " per 1000 patients" : " diseases found per patient");
  if (level && lead >= 0) {
    out << " " << value_interval(curve, curve.intervals[p].leads[place_of(Strategy::kAnswerAll)]);
  }
  if (!is_one) {
    out << (lead < 0 ? " at least" : " at most") << ", at threshold "
        << significant(curve.points[p].threshold, 4);
  }
  out << '.';
  return out.str();
}

}  // namespace cubcal
