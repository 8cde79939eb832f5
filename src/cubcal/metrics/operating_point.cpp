#include "cubcal/metrics/operating_point.h"

#include "cubcal/core/check.h"
#include "cubcal/core/named_values.h"
#include "cubcal/core/tolerances.h"
#include "cubcal/metrics/ratio.h"

namespace cubcal {

namespace {

constexpr NamedValue<PointRule> kRuleNames[] = {
    {"answer", PointRule::kAnswer},
    {"threshold", PointRule::kThreshold},
    {"sensitivity", PointRule::kSensitivity},
    {"specificity", PointRule::kSpecificity},
};

}  // namespace

const char* rule_name(PointRule rule) { return name_of(kRuleNames, rule); }

std::string rule_words(const OperatingRule& rule) {
  switch (rule.rule) {
    case PointRule::kAnswer: return "called where it is the answer";
    case PointRule::kThreshold:
      return "called where its probability is at least " + to_text(rule.level);
    case PointRule::kSensitivity:
      return "called at the highest threshold of sensitivity " + significant(100 * rule.level, 6) +
             "%";
    case PointRule::kSpecificity:
      return "called at the lowest threshold of specificity " + significant(100 * rule.level, 6) +
             "%";
  }
  return "";
}

void check_operating_rule(const OperatingRule& rule) {
  switch (rule.rule) {
    case PointRule::kAnswer: return;
    case PointRule::kThreshold: check_in_closed("the threshold", rule.level, 0, 1); return;
    case PointRule::kSensitivity:
      check_positive("the sensitivity wanted", rule.level);
      check_in_closed("the sensitivity wanted", rule.level, 0, 1);
      return;
    case PointRule::kSpecificity:
      check_in_closed("the specificity wanted", rule.level, 0, 1);
      return;
  }
}

const std::array<MetricLabel, kPointMetricCount>& point_infos() {
  static const std::array<MetricLabel, kPointMetricCount> infos = {{
      {"threshold", "threshold", MetricUnit::kFraction},
      {"sensitivity", "sensitivity", MetricUnit::kPercent},
      {"specificity", "specificity", MetricUnit::kPercent},
      {"ppv", "PPV", MetricUnit::kPercent},
      {"npv", "NPV", MetricUnit::kPercent},
  }};
  return infos;
}

PointCounts point_by_score(const RankedScores& ranked, const RankedCounts& counts,
                           const OperatingRule& rule) {
  PointCounts all;
  for (std::size_t r = 0; r < ranked.size(); ++r) {
    (ranked.positive[r] != 0 ? all.positives : all.negatives) += counts[r];
  }
  const bool nothing_to_choose_by = (rule.rule == PointRule::kSensitivity && all.positives == 0) ||
                                    (rule.rule == PointRule::kSpecificity && all.negatives == 0);
  if (nothing_to_choose_by) return {};
  PointCounts best = all;
  if (rule.rule == PointRule::kThreshold) best.threshold = rule.level;
  PointCounts reached = all;
  double equals = 0;
  for (std::size_t r = 0; r < ranked.size(); ++r) {
    if (rule.rule == PointRule::kThreshold && ranked.scores[r] < rule.level) break;
    const double count = counts[r];
    (ranked.positive[r] != 0 ? reached.found : reached.false_alarms) += count;
    equals += count;
    if (ranked.last[r] == 0) continue;
    if (equals == 0) continue;  // a score that no counted sample has is not a threshold
    equals = 0;
    if (rule.rule == PointRule::kSpecificity &&
        reached.false_alarms > (1 - rule.level) * all.negatives + kCountSlack) {
      break;
    }
    reached.threshold = rule.rule == PointRule::kThreshold ? rule.level : ranked.scores[r];
    best = reached;
    if (rule.rule == PointRule::kSensitivity &&
        reached.found >= rule.level * all.positives - kCountSlack) {
      break;
    }
  }
  return best;
}

PointCounts point_by_answer(const CountedConfusion& confusion, std::size_t label) {
  PointCounts counts;
  counts.found = confusion.cell(label, label);
  counts.false_alarms = confusion.answered(label) - counts.found;
  counts.positives = confusion.labelled(label);
  counts.negatives = confusion.total() - counts.positives;
  return counts;
}

PointValues<double> point_values(const PointCounts& counts, std::optional<double> prevalence) {
  const double missed = counts.positives - counts.found;
  const double left_alone = counts.negatives - counts.false_alarms;
  const std::optional<double> sensitivity = ratio(counts.found, counts.positives);
  const std::optional<double> specificity = ratio(left_alone, counts.negatives);
  std::optional<double> ppv = ratio(counts.found, counts.found + counts.false_alarms);
  std::optional<double> npv = ratio(left_alone, left_alone + missed);
  if (prevalence) {
    ppv.reset();
    npv.reset();
    if (sensitivity && specificity) {
      const double sick = *prevalence;
      const double well = 1 - *prevalence;
      ppv = ratio(*sensitivity * sick, *sensitivity * sick + (1 - *specificity) * well);
      npv = ratio(*specificity * well, *specificity * well + (1 - *sensitivity) * sick);
    }
  }
  return {counts.threshold, sensitivity, specificity, ppv, npv};
}

}  // namespace cubcal
