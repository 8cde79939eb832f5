#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>

#include "cubcal/metrics/agreement.h"
#include "cubcal/metrics/metric_values.h"
#include "cubcal/metrics/ranked_scores.h"
#include "cubcal/metrics/resampling.h"

/// What a test for one class finds and misses, at one way of saying yes.
namespace cubcal {

/// When a sample counts as class k.
enum class PointRule {
  kAnswer,       ///< k is the class that is answered
  kThreshold,    ///< p_k >= level
  kSensitivity,  ///< p_k >= the highest threshold at which a share `level` of class k is found
  kSpecificity   ///< p_k >= the lowest threshold that leaves a share `level` of the rest alone
};
/// "answer", "threshold", "sensitivity", "specificity".
const char* rule_name(PointRule rule);

struct OperatingRule {
  PointRule rule = PointRule::kAnswer;
  double level = 0;  ///< in [0, 1], sensitivity in (0, 1]; without meaning for kAnswer
};

/// "called where its probability is at least 0.3".
std::string rule_words(const OperatingRule& rule);

/// Throws ArgumentError where the level is outside its domain.
void check_operating_rule(const OperatingRule& rule);

enum class PointMetric : std::size_t {
  kThreshold,
  kSensitivity,  ///< share of class k that is found
  kSpecificity,  ///< share of the rest that is left alone
  kPpv,          ///< share of class k among what is found
  kNpv,          ///< share of the rest among what is left alone
};
inline constexpr std::size_t kPointMetricCount = 5;

const std::array<MetricLabel, kPointMetricCount>& point_infos();

/// Values (double) or their intervals. Undefined where there is nothing to divide by: sensitivity
/// without a sample of the class, specificity with no other, PPV where nothing is found, NPV where
/// nothing is left alone; threshold by the answer, and where at the specificity wanted nothing may
/// be found (sensitivity is 0 then). A level wanted of a side that has no sample leaves all
/// undefined.
template <class T>
using PointValues = std::array<std::optional<T>, kPointMetricCount>;

/// Samples on either side, found and not.
struct PointCounts {
  std::optional<double> threshold;
  double found = 0;         ///< of the class
  double false_alarms = 0;  ///< of the rest
  double positives = 0;
  double negatives = 0;
};

/// By p_k, for every rule but kAnswer.
PointCounts point_by_score(const RankedScores& ranked, const RankedCounts& counts,
                           const OperatingRule& rule);
PointCounts point_by_answer(const CountedConfusion& confusion, std::size_t label);

/// PPV and NPV are those of the samples, or where a prevalence of the class is stated, by Bayes'
/// rule those of a population that has it.
PointValues<double> point_values(const PointCounts& counts, std::optional<double> prevalence);

}  // namespace cubcal
