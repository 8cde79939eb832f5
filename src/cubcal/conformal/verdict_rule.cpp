#include "cubcal/conformal/verdict_rule.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "cubcal/conformal/verdict_threshold.h"
#include "cubcal/core/check.h"
#include "cubcal/metrics/binomial.h"
#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

namespace {

void check_images(const HeldOutImages& images) {
  check_same_size("uncertainties", images.uncertainty.size(), "scores", images.scores.size());
  check_same_size("predictions", images.correct.size(), "scores", images.scores.size());
  if (!images.labels.empty()) {
    check_same_size("labels", images.labels.size(), "scores", images.scores.size());
  }
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

void check_costs(const VerdictOptions& options) {
  if (!options.costs) return;
  if (options.risk_target) {
    throw ArgumentError("costs and a risk target each set the threshold: give one of them");
  }
  const auto check = [](const char* what, double cost) {
    if (std::isfinite(cost) && cost >= 0) return;
    throw ArgumentError(std::string("the cost of a ") + what + " must be a number from 0 on, not " +
                        to_text(cost));
  };
  check("referral", options.costs->referral);
  for (const double each : options.costs->wrong) check("wrong answer", each);
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
  if (options.risk_target || options.costs || !options.miss_targets.empty() ||
      !options.sensitivity_floors.empty()) {
    throw ArgumentError(
        "a verdict that accepts sets of one class has no threshold on U to move: it takes no risk "
        "target, no miss target, no sensitivity and no costs");
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
  labels.clear();
  for (const SensitivityFloor& each : options.sensitivity_floors) {
    if (!labels.insert(each.label).second) {
      throw ArgumentError("the sensitivity of class " + std::to_string(each.label) +
                          " is asked for twice");
    }
    if (!(each.share > 0 && each.share <= 1)) {
      throw ArgumentError("the sensitivity of a class must lie in (0, 1], not be " +
                          to_text(each.share));
    }
  }
  check_costs(options);
  if (options.sets) check_set_options(options);
  if (!options.risk_confidence) return;
  check_in_open("the confidence of the risk", *options.risk_confidence, 0, 1);
  if (!options.risk_target && options.sensitivity_floors.empty()) {
    throw ArgumentError("a confidence of the risk needs a risk target or a sensitivity beside it");
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
  if (options.sets) {
    rule.sets = fit_sets_of_images(images, *options.sets);
    rule.uncertainty = std::numeric_limits<double>::infinity();
  } else {
    rule.uncertainty = choose_threshold(order, images, eta, options);
  }

  std::vector<Decision> decisions(n, Decision::kOutOfScope);
  std::vector<std::size_t> set;
  for (const std::size_t i : order) {
    decisions[i] = decide(rule, images.uncertainty[i], probabilities_of(rule, images, i), set);
  }
  for (std::size_t i = 0; i < n; ++i) {
    count_image(rule.validation, decisions[i], images.correct[i] != 0);
  }
  if (images.labels.empty()) return rule;
  for (std::size_t i = 0; i < n; ++i) {
    const auto label = static_cast<std::size_t>(images.labels[i]);
    if (label >= rule.validation_by_class.size()) rule.validation_by_class.resize(label + 1);
    count_image(rule.validation_by_class[label], decisions[i], images.correct[i] != 0);
  }
  return rule;
}

double mean_cost(const VerdictCosts& costs, const std::vector<VerdictRates>& by_class) {
  double sum = 0;
  std::size_t samples = 0;
  for (std::size_t label = 0; label < by_class.size(); ++label) {
    const VerdictRates& rates = by_class[label];
    const double wrong = label < costs.wrong.size() ? costs.wrong[label] : 0;
    sum += wrong * static_cast<double>(rates.errors) +
           costs.referral * static_cast<double>(rates.referred + rates.out_of_scope);
    samples += rates.samples;
  }
  return samples == 0 ? 0 : sum / static_cast<double>(samples);
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
