#include "cubcal/conformal/conformal_score.h"

#include <algorithm>
#include <numeric>

#include "cubcal/core/check.h"
#include "cubcal/core/named_values.h"

namespace cubcal {

namespace {

constexpr NamedValue<ConformalScore> kScoreNames[] = {
    {"lac", ConformalScore::kLac},
    {"aps", ConformalScore::kAps},
    {"raps", ConformalScore::kRaps},
};

}  // namespace

const char* score_name(ConformalScore score) { return name_of(kScoreNames, score); }

ConformalScore score_from_name(const std::string& name) {
  return value_named(kScoreNames, name, "the conformal score");
}

void check_score_options(const ScoreOptions& options) {
  check_finite("the penalty", options.penalty);
  check_at_least("the penalty", options.penalty, 0);
}

void conformal_scores(const double* probabilities, std::size_t classes, const ScoreOptions& options,
                      double u, std::vector<double>& scores) {
  scores.resize(classes);
  if (options.score == ConformalScore::kLac) {
    for (std::size_t k = 0; k < classes; ++k) scores[k] = 1 - probabilities[k];
    return;
  }
  std::vector<std::size_t> order(classes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return probabilities[a] > probabilities[b];
  });
  const double penalty = options.score == ConformalScore::kRaps ? options.penalty : 0.0;
  double above = 0;
  for (std::size_t rank = 0; rank < classes; ++rank) {
    const double p = probabilities[order[rank]];
    const std::size_t beyond = rank < options.free_classes ? 0 : rank + 1 - options.free_classes;
    scores[order[rank]] = above + (1 - u) * p + penalty * static_cast<double>(beyond);
    above += p;
  }
}

}  // namespace cubcal
