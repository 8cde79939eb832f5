#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/benefit/cases.h"
#include "cubcal/benefit/outcome.h"
#include "cubcal/metrics/resampling.h"

/// Decision curves: what a policy is worth against simpler ones, threshold by threshold.
namespace cubcal {

struct BenefitOptions {
  /// Threshold probabilities pt in [0, 1), rising: a case the model answers is treated where its
  /// risk is pt or more.
  std::vector<double> thresholds;
  Prices prices;
  Expert expert;
  /// Of the disease where the policy is to be used; nothing: as among the cases. Diseased and
  /// healthy cases are weighed to have it, risks stay as they are.
  std::optional<double> prevalence;
};

inline constexpr std::size_t kMostThresholds = 1000;

/// Throws ArgumentError where an option is outside its domain.
void check_benefit_options(const BenefitOptions& options);

/// The strategies at one threshold.
struct BenefitPoint {
  double threshold = 0;
  double prevalence = 0;
  std::array<StrategyOutcome, kStrategyCount> outcomes;
  std::array<double, kStrategyCount> values{};  ///< see worth()
  /// The price of a referral at which the policy and answering everything are worth the same, all
  /// else equal; undefined where the policy refers nobody. Cases out of scope count as referred
  /// unless they have a price of their own.
  std::optional<double> break_even;

  const StrategyOutcome& outcome(Strategy strategy) const {
    return outcomes[static_cast<std::size_t>(strategy)];
  }
  double value(Strategy strategy) const { return values[static_cast<std::size_t>(strategy)]; }
};

/// Intervals at one threshold; a strategy whose value is the same in every replicate has one of no
/// width.
struct BenefitIntervals {
  std::array<std::optional<Interval>, kStrategyCount> values;
  /// Of value(subject) - value(strategy), both of the same replicates.
  std::array<std::optional<Interval>, kStrategyCount> leads;
  std::optional<Interval> break_even;
};

struct BenefitCurve {
  BenefitOptions options;
  std::vector<Strategy> strategies;  ///< those there are, the subject first
  std::vector<BenefitPoint> points;
  std::vector<BenefitIntervals> intervals;  ///< one for each point, or none

  /// The policy where cases have decisions, else answering everything.
  Strategy subject() const { return strategies.front(); }
  /// By how much a strategy is better than another; at stated costs by how much it is cheaper.
  double lead(std::size_t point, Strategy strategy, Strategy over) const;
};

/// Without intervals. There is a policy where the cases have decisions, which takes the price of a
/// referral, and the strategy of referring all where there is that price. Throws DataError for no
/// cases, and where a prevalence is stated but only the diseased or only the healthy are there to
/// be weighed.
BenefitCurve benefit_curve(const BenefitCases& cases, const BenefitOptions& options);

/// Adds percentile intervals, by group where `groups` names one for each case. Replicates that lack
/// a side which a stated prevalence needs are left out.
void add_benefit_intervals(BenefitCurve& curve, const BenefitCases& cases,
                           const std::vector<std::string>& groups, const BootstrapOptions& options);

/// Thresholds next to each other, from the first to the last.
struct ThresholdRange {
  double first;
  double last;
};

/// Where the strategy is better than every other there is.
std::vector<ThresholdRange> best_ranges(const BenefitCurve& curve, Strategy strategy);
/// Where the subject's lead over each other has its whole interval above 0; needs intervals.
std::vector<ThresholdRange> clearly_best_ranges(const BenefitCurve& curve);

}  // namespace cubcal
