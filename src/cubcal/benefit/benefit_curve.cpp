#include "cubcal/benefit/benefit_curve.h"

#include <algorithm>
#include <cmath>
#include <functional>

#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/core/tolerances.h"
#include "cubcal/metrics/ratio.h"
#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

namespace {

/// Rounding in sums over cases makes no strategy better than another.
bool is_better(double lead, double value) {
  return lead > kSumRounding * std::max(1.0, std::abs(value));
}

/// Numbers of a point that intervals are made of, times thresholds and replicates, are all kept.
constexpr std::size_t kMostReplicatedPoints = 2'000'000;

/// Diseased or healthy.
constexpr std::size_t kSides = 2;
constexpr std::size_t kDiseased = 1;
constexpr std::size_t kHealthy = 0;

/// Counted cases: those the policy accepts and those it does not, by the number of thresholds at or
/// below their risk.
struct CaseSums {
  explicit CaseSums(std::size_t thresholds) {
    for (auto* sums : {&accepted, &others}) {
      for (std::vector<double>& side : *sums) side.assign(thresholds + 1, 0.0);
    }
  }

  std::array<std::vector<double>, kSides> accepted;
  std::array<std::vector<double>, kSides> others;
  std::array<double, kSides> all{};
  std::array<double, kSides> referred{};
  std::array<double, kSides> out_of_scope{};
};

/// How many thresholds each case is treated at.
std::vector<std::uint32_t> thresholds_reached(const std::vector<double>& risk,
                                              const std::vector<double>& thresholds) {
  std::vector<std::uint32_t> reached;
  for (const double each : risk) {
    const auto above = std::upper_bound(thresholds.begin(), thresholds.end(), each);
    reached.push_back(static_cast<std::uint32_t>(above - thresholds.begin()));
  }
  return reached;
}

CaseSums sums_of(const BenefitCases& cases, const std::vector<std::uint32_t>& reached,
                 std::size_t thresholds, SampleCounts counts) {
  CaseSums sums(thresholds);
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const double count = counts[i];
    const std::size_t side = cases.diseased[i];
    const Decision decision = cases.decisions.empty() ? Decision::kAccept : cases.decisions[i];
    sums.all[side] += count;
    if (decision == Decision::kRefer) sums.referred[side] += count;
    if (decision == Decision::kOutOfScope) sums.out_of_scope[side] += count;
    (decision == Decision::kAccept ? sums.accepted : sums.others)[side][reached[i]] += count;
  }
  return sums;
}

bool any_referred(const BenefitCases& cases) {
  return std::any_of(cases.decisions.begin(), cases.decisions.end(),
                     [](Decision decision) { return decision != Decision::kAccept; });
}

std::vector<Strategy> strategies_of(const BenefitCases& cases, const Prices& prices) {
  std::vector<Strategy> strategies{Strategy::kAnswerAll, Strategy::kTreatAll, Strategy::kTreatNone};
  if (!cases.decisions.empty()) strategies.insert(strategies.begin(), Strategy::kPolicy);
  if (prices.referral) strategies.push_back(Strategy::kReferAll);
  return strategies;
}

/// The price at which referring is worth nothing: what it saves, over how many are referred.
std::optional<double> break_even(const BenefitPoint& point, const Prices& prices) {
  const StrategyOutcome& policy = point.outcome(Strategy::kPolicy);
  Prices free = prices;
  free.referral = 0;
  const double saved = expected_cost(point.outcome(Strategy::kAnswerAll), free, point.threshold) -
                       expected_cost(policy, free, point.threshold);
  return ratio(saved, policy.referred + (prices.out_of_scope ? 0.0 : policy.out_of_scope));
}

using Sides = std::array<double, kSides>;

/// What one diseased and one healthy case weigh, so that all together weigh 1 and the diseased the
/// prevalence.
struct SideWeights {
  double prevalence;
  Sides of_case;

  double diseased(const Sides& counts) const { return of_case[kDiseased] * counts[kDiseased]; }
  double healthy(const Sides& counts) const { return of_case[kHealthy] * counts[kHealthy]; }
  double share(const Sides& counts) const { return diseased(counts) + healthy(counts); }
};

/// Nothing where a side that the stated prevalence gives weight to has no case.
std::optional<SideWeights> weights_of(const CaseSums& sums, std::optional<double> stated) {
  const double total = sums.all[kDiseased] + sums.all[kHealthy];
  SideWeights weights{stated.value_or(sums.all[kDiseased] / total), {}};
  for (const std::size_t side : {kHealthy, kDiseased}) {
    const double share = side == kDiseased ? weights.prevalence : 1 - weights.prevalence;
    if (sums.all[side] == 0 && share > 0) return std::nullopt;
    weights.of_case[side] = sums.all[side] == 0 ? 0 : share / sums.all[side];
  }
  return weights;
}

/// Of all strategies, where so many of the accepted and of the other cases are treated when the
/// model answers them.
std::array<StrategyOutcome, kStrategyCount> outcomes_of(const CaseSums& sums,
                                                        const SideWeights& weights,
                                                        const Sides& accepted_treated,
                                                        const Sides& others_treated,
                                                        const Expert& expert) {
  const double prevalence = weights.prevalence;
  const double to_expert_diseased =
      weights.diseased(sums.referred) + weights.diseased(sums.out_of_scope);
  const double to_expert_healthy =
      weights.healthy(sums.referred) + weights.healthy(sums.out_of_scope);
  const double found = weights.diseased(accepted_treated);
  const double alarms = weights.healthy(accepted_treated);
  const double expert_misses = 1 - expert.sensitivity;
  const double expert_alarms = 1 - expert.specificity;
  std::array<StrategyOutcome, kStrategyCount> outcomes;
  const auto at = [&](Strategy strategy) -> StrategyOutcome& {
    return outcomes[static_cast<std::size_t>(strategy)];
  };
  at(Strategy::kPolicy) = {
      std::max(0.0, prevalence - to_expert_diseased - found) + expert_misses * to_expert_diseased,
      alarms + expert_alarms * to_expert_healthy, weights.share(sums.referred),
      weights.share(sums.out_of_scope)};
  at(Strategy::kAnswerAll) = {std::max(0.0, prevalence - found - weights.diseased(others_treated)),
                              alarms + weights.healthy(others_treated), 0, 0};
  at(Strategy::kTreatAll) = {0, 1 - prevalence, 0, 0};
  at(Strategy::kTreatNone) = {prevalence, 0, 0, 0};
  at(Strategy::kReferAll) = {expert_misses * prevalence, expert_alarms * (1 - prevalence), 1, 0};
  return outcomes;
}

/// Empty where there are no weights.
std::vector<BenefitPoint> points_of(const CaseSums& sums, const BenefitOptions& options) {
  const std::optional<SideWeights> weights = weights_of(sums, options.prevalence);
  if (!weights) return {};
  std::vector<BenefitPoint> points(options.thresholds.size());
  // What is treated at the last threshold is so at all of them: summed from there down.
  Sides accepted_treated{};
  Sides others_treated{};
  for (std::size_t t = points.size(); t-- > 0;) {
    for (const std::size_t side : {kHealthy, kDiseased}) {
      accepted_treated[side] += sums.accepted[side][t + 1];
      others_treated[side] += sums.others[side][t + 1];
    }
    BenefitPoint& point = points[t];
    point.threshold = options.thresholds[t];
    point.prevalence = weights->prevalence;
    point.outcomes = outcomes_of(sums, *weights, accepted_treated, others_treated, options.expert);
    for (std::size_t s = 0; s < kStrategyCount; ++s) {
      point.values[s] = worth(point.outcomes[s], point.prevalence, options.prices, point.threshold);
    }
    point.break_even = break_even(point, options.prices);
  }
  return points;
}

double lead_of(const BenefitPoint& point, Strategy strategy, Strategy over, const Prices& prices) {
  const double difference = point.value(strategy) - point.value(over);
  return prices.are_stated() ? -difference : difference;
}

std::optional<Interval> interval_of(
    const std::vector<std::vector<BenefitPoint>>& replicates, std::size_t point, double level,
    const std::function<std::optional<double>(const BenefitPoint&)>& number) {
  std::vector<double> values;
  for (const std::vector<BenefitPoint>& replicate : replicates) {
    if (replicate.empty()) continue;
    if (const std::optional<double> value = number(replicate[point])) values.push_back(*value);
  }
  if (values.empty()) return std::nullopt;
  return percentile_interval(std::move(values), level);
}

/// Runs of points for which `holds`.
std::vector<ThresholdRange> ranges_where(const BenefitCurve& curve,
                                         const std::function<bool(std::size_t)>& holds) {
  std::vector<ThresholdRange> ranges;
  bool inside = false;
  for (std::size_t p = 0; p < curve.points.size(); ++p) {
    const double threshold = curve.points[p].threshold;
    if (!holds(p)) {
      inside = false;
    } else if (inside) {
      ranges.back().last = threshold;
    } else {
      ranges.push_back({threshold, threshold});
      inside = true;
    }
  }
  return ranges;
}

}  // namespace

void check_benefit_options(const BenefitOptions& options) {
  check_prices(options.prices);
  check_in_closed("the expert's sensitivity", options.expert.sensitivity, 0, 1);
  check_in_closed("the expert's specificity", options.expert.specificity, 0, 1);
  if (options.prevalence) check_in_closed("the prevalence", *options.prevalence, 0, 1);
  const std::size_t count = options.thresholds.size();
  if (count == 0 || count > kMostThresholds) {
    throw ArgumentError("there must be 1 to " + std::to_string(kMostThresholds) +
                        " threshold probabilities, not " + std::to_string(count));
  }
  for (std::size_t t = 0; t < count; ++t) {
    const double threshold = options.thresholds[t];
    if (!(threshold >= 0 && threshold < 1)) {
      throw ArgumentError("a threshold probability must be in [0, 1), not " + to_text(threshold));
    }
    if (t > 0 && threshold <= options.thresholds[t - 1]) {
      throw ArgumentError("threshold probabilities must rise, but " + to_text(threshold) +
                          " follows " + to_text(options.thresholds[t - 1]));
    }
  }
}

double BenefitCurve::lead(std::size_t point, Strategy strategy, Strategy over) const {
  return lead_of(points[point], strategy, over, options.prices);
}

BenefitCurve benefit_curve(const BenefitCases& cases, const BenefitOptions& options) {
  check_benefit_options(options);
  if (cases.size() == 0) throw DataError("there is no case to weigh benefits of");
  check_same_size("marks of disease", cases.diseased.size(), "the cases", cases.size());
  if (!cases.decisions.empty()) {
    check_same_size("decisions", cases.decisions.size(), "the cases", cases.size());
  }
  if (any_referred(cases) && !options.prices.referral) {
    throw ArgumentError("a policy that refers cases needs the cost of a referral");
  }
  BenefitCurve curve;
  curve.options = options;
  curve.strategies = strategies_of(cases, options.prices);
  const std::vector<std::uint32_t> reached = thresholds_reached(cases.risk, options.thresholds);
  curve.points = points_of(sums_of(cases, reached, options.thresholds.size(), {}), options);
  if (curve.points.empty()) {
    throw DataError("a prevalence of " + to_text(*options.prevalence) +
                    " needs cases with and without the disease");
  }
  return curve;
}

void add_benefit_intervals(BenefitCurve& curve, const BenefitCases& cases,
                           const std::vector<std::string>& groups,
                           const BootstrapOptions& options) {
  check_bootstrap_options(options);
  const std::size_t thresholds = curve.points.size();
  if (options.replicates > kMostReplicatedPoints / thresholds) {
    throw ArgumentError(
        "replicates times thresholds must be at most " + std::to_string(kMostReplicatedPoints) +
        ", not " + std::to_string(options.replicates) + " times " + std::to_string(thresholds));
  }
  const ResamplingUnits units = resampling_units(cases.size(), groups, "the cases");
  const std::vector<std::uint32_t> reached =
      thresholds_reached(cases.risk, curve.options.thresholds);
  std::vector<std::vector<BenefitPoint>> replicates(options.replicates);
  parallel_blocks(options.replicates, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t r = first; r < last; ++r) {
      SeedStream stream(options.seed, r);
      const std::vector<std::uint32_t> counts = draw_counts(units, stream);
      replicates[r] =
          points_of(sums_of(cases, reached, thresholds, SampleCounts(counts)), curve.options);
    }
  });
  curve.intervals.assign(thresholds, {});
  parallel_blocks(thresholds, 1, [&](std::size_t first, std::size_t last) {
    for (std::size_t p = first; p < last; ++p) {
      BenefitIntervals& intervals = curve.intervals[p];
      for (const Strategy strategy : curve.strategies) {
        const auto s = static_cast<std::size_t>(strategy);
        intervals.values[s] =
            interval_of(replicates, p, options.level,
                        [&](const BenefitPoint& point) { return point.value(strategy); });
        intervals.leads[s] =
            interval_of(replicates, p, options.level, [&](const BenefitPoint& point) {
              return lead_of(point, curve.subject(), strategy, curve.options.prices);
            });
      }
      intervals.break_even = interval_of(
          replicates, p, options.level, [](const BenefitPoint& point) { return point.break_even; });
    }
  });
}

std::vector<ThresholdRange> best_ranges(const BenefitCurve& curve, Strategy strategy) {
  return ranges_where(curve, [&](std::size_t p) {
    return std::all_of(curve.strategies.begin(), curve.strategies.end(), [&](Strategy other) {
      return other == strategy ||
             is_better(curve.lead(p, strategy, other), curve.points[p].value(other));
    });
  });
}

std::vector<ThresholdRange> clearly_best_ranges(const BenefitCurve& curve) {
  return ranges_where(curve, [&](std::size_t p) {
    return std::all_of(curve.strategies.begin() + 1, curve.strategies.end(), [&](Strategy other) {
      const auto& interval = curve.intervals[p].leads[static_cast<std::size_t>(other)];
      return interval && is_better(interval->low, curve.points[p].value(other));
    });
  });
}

}  // namespace cubcal
