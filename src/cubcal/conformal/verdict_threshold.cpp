#include "cubcal/conformal/verdict_threshold.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "cubcal/core/check.h"
#include "cubcal/metrics/binomial.h"

namespace cubcal {

namespace {

constexpr std::size_t kLooks = 20;  ///< coverages tried with a confidence

/// Accepted images of a class.
struct ClassCounts {
  std::size_t accepted = 0;
  std::size_t wrong = 0;
};

/// Goes through the thresholds from the lowest up, each being the U of the last image it accepts.
class ThresholdWalk {
 public:
  ThresholdWalk(const std::vector<std::size_t>& order, const HeldOutImages& images,
                const VerdictOptions& options)
      : order_(order), images_(images), options_(options) {
    const std::size_t bounded = options.sensitivity_floors.size() + (options.risk_target ? 1 : 0);
    if (options.risk_confidence) {
      level_ = 1 - (1 - *options.risk_confidence) / static_cast<double>(kLooks * bounded);
    }
    for (const MissTarget& each : options.miss_targets) members_[each.label] = 0;
    for (const SensitivityFloor& each : options.sensitivity_floors) members_[each.label] = 0;
    for (auto& [label, members] : members_) members = count_members(label);
  }

  /// The chosen U, at most `limit`; `limit` itself where everything holds there.
  double choose(double limit) {
    std::optional<double> chosen;
    double least_cost = 0;  // that of referring every image
    std::size_t count = 0;
    while (count < order_.size()) {
      const double uncertainty = images_.uncertainty[order_[count]];
      if (uncertainty > limit) break;
      take(order_[count++]);
      const bool is_last = count == order_.size();
      // Equals stand or fall together.
      if (!is_last && images_.uncertainty[order_[count]] == uncertainty) continue;
      if (!is_look(count) || !holds(count) || cost_ > least_cost) continue;
      least_cost = cost_;
      const bool is_at_limit =
          std::isfinite(limit) && (is_last || images_.uncertainty[order_[count]] > limit);
      chosen = is_at_limit ? limit : uncertainty;
    }
    if (chosen) return *chosen;
    // Where nothing is accepted at the limit, nothing is missed either.
    const bool asks_of_accepted = options_.risk_target || !options_.sensitivity_floors.empty();
    if (count == 0 && std::isfinite(limit) && !asks_of_accepted) return limit;
    throw_unmet();
    throw DataError(options_.costs ? "at these costs it is cheapest to refer every validation image"
                                   : "no threshold keeps all that is asked for at once");
  }

 private:
  std::size_t count_members(std::size_t label) const {
    const auto count =
        std::count(images_.labels.begin(), images_.labels.end(), static_cast<std::int64_t>(label));
    if (count > 0) return static_cast<std::size_t>(count);
    throw DataError("there is no validation image of class " + std::to_string(label) +
                    ", of which something is asked");
  }

  std::size_t label_of(std::size_t image) const {
    return static_cast<std::size_t>(images_.labels[image]);
  }

  double wrong_cost(std::size_t image) const {
    const std::vector<double>& costs = options_.costs->wrong;
    return label_of(image) < costs.size() ? costs[label_of(image)] : 0;
  }

  void take(std::size_t image) {
    const bool is_wrong = images_.correct[image] == 0;
    errors_ += is_wrong ? 1 : 0;
    if (options_.costs) {
      cost_ += (is_wrong ? wrong_cost(image) : 0) - options_.costs->referral;
    }
    if (members_.empty()) return;
    ClassCounts& counts = counts_[label_of(image)];
    ++counts.accepted;
    counts.wrong += is_wrong ? 1 : 0;
  }

  /// With a confidence the first count at or past a multiple of 1 / kLooks.
  bool is_look(std::size_t count) const {
    if (!options_.risk_confidence) return true;
    return count * kLooks / order_.size() > (count - 1) * kLooks / order_.size();
  }

  double bound(std::size_t errors, std::size_t count) const {
    if (options_.risk_confidence) return upper_bound_of_share(errors, count, level_);
    return static_cast<double>(errors) / static_cast<double>(count);
  }

  /// Whether all that is asked for holds with the images taken so far; remembers how near each
  /// came.
  bool holds(std::size_t count) {
    bool all = true;
    if (options_.risk_target) {
      const double risk = bound(errors_, count);
      lowest_risk_ = std::min(lowest_risk_, risk);
      all = risk <= *options_.risk_target;
    }
    for (const MissTarget& each : options_.miss_targets) {
      const double allowed = each.share * static_cast<double>(members_.at(each.label));
      const bool is_kept = static_cast<double>(counts_[each.label].wrong) <= allowed;
      if (is_kept) kept_misses_.insert(each.label);
      all = all && is_kept;
    }
    for (const SensitivityFloor& each : options_.sensitivity_floors) {
      const ClassCounts& counts = counts_[each.label];
      const double sensitivity = counts.accepted > 0 ? 1 - bound(counts.wrong, counts.accepted) : 0;
      double& best = best_sensitivity_[each.label];
      best = std::max(best, sensitivity);
      all = all && sensitivity >= each.share;
    }
    return all;
  }

  /// What cannot be had even by itself.
  void throw_unmet() const {
    if (options_.risk_target && lowest_risk_ > *options_.risk_target) {
      throw DataError("no share of the validation images has an error rate" +
                      std::string(options_.risk_confidence ? " bounded by " : " of ") +
                      to_text(*options_.risk_target) + " or less; the lowest is " +
                      to_text(lowest_risk_));
    }
    for (const MissTarget& each : options_.miss_targets) {
      if (kept_misses_.count(each.label) > 0) continue;
      throw DataError("the most certain validation image of all is a miss of class " +
                      std::to_string(each.label) + ": no threshold keeps its misses at " +
                      to_text(each.share));
    }
    for (const SensitivityFloor& each : options_.sensitivity_floors) {
      const auto found = best_sensitivity_.find(each.label);
      const double best = found == best_sensitivity_.end() ? 0 : found->second;
      if (best >= each.share) continue;
      throw DataError("no share of the validation images keeps the sensitivity of class " +
                      std::to_string(each.label) + " at " + to_text(each.share) +
                      " or above; the highest" +
                      (options_.risk_confidence ? " lower bound is " : " is ") + to_text(best));
    }
  }

  const std::vector<std::size_t>& order_;
  const HeldOutImages& images_;
  const VerdictOptions& options_;
  double level_ = 0;
  std::map<std::size_t, std::size_t> members_;  ///< images of the classes that are asked about
  std::map<std::size_t, ClassCounts> counts_;
  std::set<std::size_t> kept_misses_;  ///< classes
  std::map<std::size_t, double> best_sensitivity_;
  std::size_t errors_ = 0;
  double cost_ = 0;  ///< above that of referring every image
  double lowest_risk_ = 1;
};

}  // namespace

double choose_threshold(const std::vector<std::size_t>& order, const HeldOutImages& images,
                        double eta, const VerdictOptions& options) {
  const bool has_classes = !options.miss_targets.empty() || !options.sensitivity_floors.empty();
  if (has_classes || options.costs) {
    check_same_size("labels", images.labels.size(), "scores", images.scores.size());
  }
  if (!options.risk_target && !options.costs && !has_classes) return eta;
  // A risk target or costs set the threshold themselves.
  const bool is_free = options.risk_target || options.costs;
  const double limit = is_free ? std::numeric_limits<double>::infinity() : eta;
  ThresholdWalk walk(order, images, options);
  return walk.choose(limit);
}

}  // namespace cubcal
