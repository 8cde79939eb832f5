#include "cubcal/conformal/prediction_sets.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/core/tolerances.h"

namespace cubcal {

namespace {

/// Calibration and new samples draw apart.
enum class Role : std::uint64_t { kCalibration, kPrediction };

double drawn_for(const ScoreOptions& options, Role role, std::size_t sample) {
  if (!options.seed) return 1;
  return SeedStream(*options.seed, 2 * sample + static_cast<std::uint64_t>(role)).uniform();
}

const std::string& group_of(const std::vector<std::string>& groups, std::size_t sample) {
  static const std::string none;
  return groups.empty() ? none : groups[sample];
}

void check_groups(const std::vector<std::string>& groups, const Predictive& predictive) {
  if (!groups.empty()) check_same_size("groups", groups.size(), "the samples", predictive.samples);
}

}  // namespace

double alpha_of_level(double level) { return std::round((1 - level) * 1e12) / 1e12; }

std::size_t conformal_rank(std::size_t samples, double alpha) {
  check_in_open("alpha", alpha, 0, 1);
  const double rank = std::ceil((static_cast<double>(samples) + 1) * (1 - alpha) - kCountSlack);
  return static_cast<std::size_t>(std::max(rank, 1.0));
}

double conformal_quantile(std::vector<double> scores, double alpha) {
  const std::size_t rank = conformal_rank(scores.size(), alpha);
  if (rank > scores.size()) return std::numeric_limits<double>::infinity();
  const auto at = scores.begin() + static_cast<std::ptrdiff_t>(rank) - 1;
  std::nth_element(scores.begin(), at, scores.end());
  return *at;
}

std::size_t fewest_samples(double alpha) {
  check_in_open("alpha", alpha, 0, 1);
  const double fewest = std::ceil(1 / alpha - 1 - kCountSlack);
  return static_cast<std::size_t>(std::max(fewest, 1.0));
}

ConformalRule fit_conformal(const Predictive& calibration, ArrayView<const std::int64_t> labels,
                            const std::vector<std::string>& groups,
                            const ConformalOptions& options) {
  check_in_open("alpha", options.alpha, 0, 1);
  check_score_options(options.score);
  check_same_size("labels", labels.size(), "the calibration samples", calibration.samples);
  check_groups(groups, calibration);
  const std::size_t kinds = options.by_class ? calibration.classes : 1;
  std::map<std::string, std::vector<std::vector<double>>> scores;
  std::vector<double> own;
  for (std::size_t i = 0; i < calibration.samples; ++i) {
    const auto label = static_cast<std::size_t>(labels[i]);
    conformal_scores(&calibration.probabilities[i * calibration.classes], calibration.classes,
                     options.score, drawn_for(options.score, Role::kCalibration, i), own);
    auto& of_group = scores[group_of(groups, i)];
    of_group.resize(kinds);
    of_group[options.by_class ? label : 0].push_back(own[label]);
  }
  ConformalRule rule{options, calibration.classes, {}};
  for (auto& [group, of_group] : scores) {
    for (std::vector<double>& kind : of_group) {
      const std::size_t samples = kind.size();
      rule.cells[group].push_back({samples, conformal_quantile(std::move(kind), options.alpha)});
    }
  }
  return rule;
}

std::vector<std::size_t> prediction_set(const ConformalRule& rule, const double* probabilities) {
  std::vector<double> scores;
  conformal_scores(probabilities, rule.classes, rule.options.score, 1, scores);
  const std::vector<ConformalCell>& cells = rule.cells.at("");
  std::vector<std::size_t> set;
  for (std::size_t k = 0; k < rule.classes; ++k) {
    if (scores[k] <= cells[rule.options.by_class ? k : 0].threshold) set.push_back(k);
  }
  return set;
}

std::vector<std::uint8_t> prediction_sets(const ConformalRule& rule, const Predictive& predictive,
                                          const std::vector<std::string>& groups) {
  if (predictive.classes != rule.classes) {
    throw DataError("the prediction sets were fitted for " + std::to_string(rule.classes) +
                    " classes and cannot be made of " + std::to_string(predictive.classes));
  }
  check_groups(groups, predictive);
  std::vector<std::uint8_t> sets(predictive.samples * predictive.classes, 1);
  std::vector<double> scores;
  for (std::size_t i = 0; i < predictive.samples; ++i) {
    const auto found = rule.cells.find(group_of(groups, i));
    if (found == rule.cells.end()) continue;
    conformal_scores(&predictive.probabilities[i * predictive.classes], predictive.classes,
                     rule.options.score, drawn_for(rule.options.score, Role::kPrediction, i),
                     scores);
    for (std::size_t k = 0; k < predictive.classes; ++k) {
      const double threshold = found->second[rule.options.by_class ? k : 0].threshold;
      sets[i * predictive.classes + k] = scores[k] <= threshold ? 1 : 0;
    }
  }
  return sets;
}

}  // namespace cubcal
