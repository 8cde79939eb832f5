#include "cubcal/conformal/verdict_rule.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "cubcal/core/check.h"
#include "cubcal/metrics/binomial.h"
#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

namespace {

constexpr std::size_t kLooks = 20;  ///< coverages tried with a confidence

void check_images(const HeldOutImages& images) {
  check_same_size("uncertainties", images.uncertainty.size(), "scores", images.scores.size());
  check_same_size("predictions", images.correct.size(), "scores", images.scores.size());
  for (const double score : images.scores) {
    if (!std::isfinite(score)) throw DataError("scores of held-out images must be finite");
  }
  for (const double uncertainty : images.uncertainty) {
    if (!std::isfinite(uncertainty)) {
      throw DataError("uncertainties of held-out images must be finite");
    }
  }
}

double count_at_least(ArrayView<const double> rising, double score) {
  return static_cast<double>(rising.end() - std::lower_bound(rising.begin(), rising.end(), score));
}

/// Images that the p-value leaves in scope, most certain first.
std::vector<std::size_t> in_scope(const VerdictRule& rule, const HeldOutImages& images) {
  const auto n = static_cast<double>(images.scores.size());
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < images.scores.size(); ++i) {
    // Against the n - 1 others, (1 + #{others >= score}) / n: the score itself is the 1.
    const double p = count_at_least(rule.id_scores, images.scores[i]) / n;
    if (p > rule.options.alpha) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return images.uncertainty[a] < images.uncertainty[b];
  });
  return order;
}

/// How many of the most certain images may be accepted, and their U.
double threshold_for_risk(const std::vector<std::size_t>& order, const HeldOutImages& images,
                          const VerdictOptions& options) {
  const double level = options.risk_confidence ? 1 - (1 - *options.risk_confidence) / kLooks : 0.0;
  const auto bound = [&](std::size_t errors, std::size_t count) {
    if (options.risk_confidence) return upper_bound_of_share(errors, count, level);
    return static_cast<double>(errors) / static_cast<double>(count);
  };
  const auto is_candidate = [&](std::size_t count) {
    if (count < order.size() &&
        images.uncertainty[order[count]] == images.uncertainty[order[count - 1]]) {
      return false;  // equals stand or fall together
    }
    if (!options.risk_confidence) return true;
    // The first count at or past a multiple of 1 / kLooks.
    return count * kLooks / order.size() > (count - 1) * kLooks / order.size();
  };
  std::optional<double> threshold;
  double smallest = 1;
  std::size_t errors = 0;
  for (std::size_t count = 1; count <= order.size(); ++count) {
    errors += images.correct[order[count - 1]] ? 0 : 1;
    if (!is_candidate(count)) continue;
    const double risk = bound(errors, count);
    smallest = std::min(smallest, risk);
    if (risk <= *options.risk_target) threshold = images.uncertainty[order[count - 1]];
  }
  if (!threshold) {
    throw DataError("no share of the validation images has an error rate" +
                    std::string(options.risk_confidence ? " bounded by " : " of ") +
                    to_text(*options.risk_target) + " or less; the lowest is " + to_text(smallest));
  }
  return *threshold;
}

/// The largest U up to which no more than the target's share of its class is accepted and wrong.
double threshold_for_misses(const std::vector<std::size_t>& order, const HeldOutImages& images,
                            const MissTarget& target) {
  const auto label = static_cast<std::int64_t>(target.label);
  const auto members = std::count(images.labels.begin(), images.labels.end(), label);
  if (members == 0) {
    throw DataError("there is no validation image of class " + std::to_string(target.label) +
                    ", whose misses are to be bounded");
  }
  const double allowed = target.share * static_cast<double>(members);
  double missed = 0;
  std::size_t last = order.size();
  for (std::size_t i = 0; i < order.size() && last == order.size(); ++i) {
    missed += images.labels[order[i]] == label && !images.correct[order[i]] ? 1 : 0;
    if (missed > allowed) last = i;
  }
  if (last == order.size()) return std::numeric_limits<double>::infinity();
  // Equals stand or fall together.
  while (last > 0 && images.uncertainty[order[last - 1]] == images.uncertainty[order[last]]) --last;
  if (last == 0) {
    throw DataError("the most certain validation image of all is a miss of class " +
                    std::to_string(target.label) + ": no threshold keeps its misses at " +
                    to_text(target.share));
  }
  return images.uncertainty[order[last - 1]];
}

void count_image(VerdictRates& rates, Decision decision, bool correct) {
  ++rates.samples;
  switch (decision) {
    case Decision::kOutOfScope: ++rates.out_of_scope; break;
    case Decision::kRefer: ++rates.referred; break;
    case Decision::kAccept: ++rates.accepted; rates.errors += correct ? 0 : 1;
  }
}

void check_set_options(const VerdictOptions& options) {
  const ConformalOptions& sets = *options.sets;
  check_in_open("the share of ID images whose set may lack the true class", sets.alpha, 0, 1);
  check_score_options(sets.score);
  if (sets.score.seed) throw ArgumentError("the sets of a verdict draw nothing by chance");
  if (options.risk_target || !options.miss_targets.empty()) {
    throw ArgumentError(
        "a verdict that accepts sets of one class has no threshold on U to move: it takes no risk "
        "target and no miss target");
  }
}

ConformalRule fit_sets_of_images(const HeldOutImages& images, const ConformalOptions& options) {
  if (images.predictive == nullptr) {
    throw ArgumentError("a verdict by prediction sets takes the predictions of held-out images");
  }
  check_same_size("predictions", images.predictive->samples, "scores", images.scores.size());
  check_labels(images.labels, images.predictive->samples, images.predictive->classes);
  ConformalRule rule = fit_conformal(*images.predictive, images.labels, {}, options);
  const std::vector<ConformalCell>& cells = rule.cells.at("");
  if (std::all_of(cells.begin(), cells.end(),
                  [](const ConformalCell& cell) { return std::isinf(cell.threshold); })) {
    throw ArgumentError("a set that may lack the true class in " + to_text(options.alpha) +
                        " of images takes at least " +
                        std::to_string(fewest_samples(options.alpha)) + " held-out ID images" +
                        (options.by_class ? " of a class" : "") + ": no class could be left out");
  }
  return rule;
}

/// The answer of image i, where sets decide.
const double* probabilities_of(const VerdictRule& rule, const HeldOutImages& images,
                               std::size_t i) {
  if (!rule.sets) return nullptr;
  if (images.predictive == nullptr || images.predictive->classes != rule.sets->classes) {
    throw ArgumentError("a verdict by prediction sets takes predictions of " +
                        std::to_string(rule.sets->classes) + " classes");
  }
  return &images.predictive->probabilities[i * rule.sets->classes];
}

/// What becomes of an image in scope.
Decision decide(const VerdictRule& rule, double uncertainty, const double* probabilities,
                std::vector<std::size_t>& set) {
  if (!rule.sets) return uncertainty > rule.uncertainty ? Decision::kRefer : Decision::kAccept;
  if (probabilities == nullptr) {
    throw ArgumentError("a verdict by prediction sets takes the probabilities of an image");
  }
  set = prediction_set(*rule.sets, probabilities);
  const auto answer = static_cast<std::size_t>(
      std::max_element(probabilities, probabilities + rule.sets->classes) - probabilities);
  return set.size() == 1 && set.front() == answer ? Decision::kAccept : Decision::kRefer;
}

Decision decision_of(const VerdictRule& rule, const HeldOutImages& images, std::size_t i) {
  return judge(rule, images.scores[i], images.uncertainty[i], probabilities_of(rule, images, i))
      .decision;
}

}  // namespace

const char* decision_name(Decision decision) {
  switch (decision) {
    case Decision::kAccept: return "accept";
    case Decision::kRefer: return "refer";
    default: return "out-of-scope";
  }
}

double ood_p_value(ArrayView<const double> rising_id_scores, double score) {
  return (1 + count_at_least(rising_id_scores, score)) /
         (static_cast<double>(rising_id_scores.size()) + 1);
}

void check_verdict_options(const VerdictOptions& options) {
  check_in_open("the share of ID images refused", options.alpha, 0, 1);
  if (options.risk_target) check_in_open("the risk target", *options.risk_target, 0, 1);
  std::set<std::size_t> labels;
  for (const MissTarget& each : options.miss_targets) {
    if (!labels.insert(each.label).second) {
      throw ArgumentError("the share of class " + std::to_string(each.label) +
                          " that may be missed is given twice");
    }
    if (!(each.share >= 0 && each.share < 1)) {
      throw ArgumentError("the share of a class that may be missed must lie in [0, 1), not be " +
                          to_text(each.share));
    }
  }
  if (options.sets) check_set_options(options);
  if (!options.risk_confidence) return;
  check_in_open("the confidence of the risk", *options.risk_confidence, 0, 1);
  if (!options.risk_target) {
    throw ArgumentError("a confidence of the risk needs a risk target beside it");
  }
}

std::optional<double> VerdictRates::risk() const {
  if (accepted == 0) return std::nullopt;
  return static_cast<double>(errors) / static_cast<double>(accepted);
}

Verdict judge(const VerdictRule& rule, double score, double uncertainty,
              const double* probabilities) {
  if (!std::isfinite(score)) throw DataError("the OOD score of an image must be finite");
  Verdict verdict{ood_p_value(rule.id_scores, score), Decision::kOutOfScope};
  const Decision in_scope = decide(rule, uncertainty, probabilities, verdict.set);
  if (verdict.p_value > rule.options.alpha) verdict.decision = in_scope;
  return verdict;
}

void check_held_out_count(std::size_t images, double alpha) {
  if (static_cast<double>(images + 1) * alpha >= 1) return;
  throw ArgumentError("to refuse " + to_text(alpha) + " of the ID images takes at least " +
                      to_text(std::ceil(1 / alpha) - 1) + " held-out ID images, not " +
                      std::to_string(images));
}

std::size_t held_out_for_steady_share(double alpha) {
  check_in_open("the share of ID images refused", alpha, 0, 1);
  // With k refused of n, the 97.5% quantile of Beta(k, n + 1 - k) is the bound of k - 1 events.
  for (std::size_t refused = 1;; ++refused) {
    const auto images =
        static_cast<std::size_t>(std::ceil(static_cast<double>(refused) / alpha)) - 1;
    if (upper_bound_of_share(refused - 1, images, 0.975) <= 2 * alpha) return images;
  }
}

VerdictRule fit_verdict(const HeldOutImages& images, double eta, const VerdictOptions& options) {
  check_verdict_options(options);
  check_images(images);
  const std::size_t n = images.scores.size();
  check_held_out_count(n, options.alpha);
  VerdictRule rule;
  rule.options = options;
  rule.id_scores.assign(images.scores.begin(), images.scores.end());
  std::sort(rule.id_scores.begin(), rule.id_scores.end());
  const std::vector<std::size_t> order = in_scope(rule, images);
  rule.uncertainty = options.risk_target ? threshold_for_risk(order, images, options) : eta;
  if (options.sets) {
    rule.sets = fit_sets_of_images(images, *options.sets);
    rule.uncertainty = std::numeric_limits<double>::infinity();
  }
  if (!options.miss_targets.empty()) {
    check_same_size("labels", images.labels.size(), "scores", n);
    for (const MissTarget& each : options.miss_targets) {
      rule.uncertainty = std::min(rule.uncertainty, threshold_for_misses(order, images, each));
    }
  }

  VerdictRates& rates = rule.validation;
  rates.samples = n;
  rates.out_of_scope = n - order.size();
  std::vector<std::size_t> set;
  for (const std::size_t i : order) {
    if (decide(rule, images.uncertainty[i], probabilities_of(rule, images, i), set) ==
        Decision::kRefer) {
      ++rates.referred;
    } else {
      ++rates.accepted;
      rates.errors += images.correct[i] ? 0 : 1;
    }
  }
  return rule;
}

VerdictRates verdict_rates(const VerdictRule& rule, const HeldOutImages& images) {
  check_images(images);
  VerdictRates rates;
  for (std::size_t i = 0; i < images.scores.size(); ++i) {
    count_image(rates, decision_of(rule, images, i), images.correct[i] != 0);
  }
  return rates;
}

std::vector<VerdictRates> verdict_rates_by_class(const VerdictRule& rule,
                                                 const HeldOutImages& images, std::size_t classes) {
  check_images(images);
  check_same_size("labels", images.labels.size(), "scores", images.scores.size());
  std::vector<VerdictRates> rates(classes);
  for (std::size_t i = 0; i < images.scores.size(); ++i) {
    const std::int64_t label = images.labels[i];
    if (label < 0 || label >= static_cast<std::int64_t>(classes)) {
      throw DataError("label " + std::to_string(label) + " is none of the " +
                      std::to_string(classes) + " classes");
    }
    count_image(rates[static_cast<std::size_t>(label)], decision_of(rule, images, i),
                images.correct[i] != 0);
  }
  return rates;
}

}  // namespace cubcal
