#include "cubcal/adaptive/sequential_decision.h"

#include <algorithm>

#include "cubcal/adaptive/forecast.h"
#include "cubcal/core/check.h"

namespace cubcal {

namespace {

enum Scaling : std::size_t { kUnscaled, kAtHigh, kAtLow };

/// That the decision at one temperature becomes another one.
double chance_of_other_decision(const MeanForecast& forecast, const DecisionOptions& options) {
  double chance = forecast.chance_of_other_class();
  chance += forecast.chance_of_crossing_entropy(options.uncertainty);
  if (options.gamma) chance += forecast.chance_of_crossing_confidence(*options.gamma);
  return chance;
}

/// That the scaling region becomes the other one. Either of two sets of sides keeps a region:
/// sharpen with c > gamma_high, or with c > gamma_low and U < eta; soften with c <= gamma_low, or
/// with c <= gamma_high and U >= eta.
double chance_of_other_region(const MeanForecast& forecast, ScalingRegion region,
                              const Thresholds& thresholds) {
  const Summary& now = forecast.now();
  const bool sharpen = region == ScalingRegion::kSharpen;
  const double alone = sharpen ? thresholds.gamma_high : thresholds.gamma_low;
  const double with_eta = sharpen ? thresholds.gamma_low : thresholds.gamma_high;
  double chance = 1;
  if ((now.confidence > alone) == sharpen) {
    chance = forecast.chance_of_crossing_confidence(alone);
  }
  if ((now.confidence > with_eta) == sharpen && (now.entropy < thresholds.eta) == sharpen) {
    chance = std::min(chance, forecast.chance_of_crossing_confidence(with_eta) +
                                  forecast.chance_of_crossing_entropy(thresholds.eta));
  }
  return chance;
}

Summary summary_of(const SamplePasses& passes) {
  const std::vector<double> mean = passes.mean();
  return summarise(mean.data(), mean.size());
}

}  // namespace

void check_decision_options(const DecisionOptions& options) {
  check_at_least("the uncertainty threshold", options.uncertainty, 0);
  if (options.gamma) check_in_open("gamma", *options.gamma, 0, 1);
}

bool operator==(const McDecision& a, const McDecision& b) {
  return a.predicted == b.predicted && a.refer == b.refer && a.confident == b.confident;
}

McDecision decide(const Summary& prediction, const DecisionOptions& options) {
  return {prediction.predicted, prediction.entropy > options.uncertainty,
          options.gamma && prediction.confidence > *options.gamma};
}

void check_adaptive_options(const AdaptiveOptions& options) {
  check_in_closed("the error of adaptive passes", options.error, 0, 0.5);
  check_at_least("the number of passes before the first look", static_cast<double>(options.first),
                 2);
  check_at_least("the number of passes between looks", static_cast<double>(options.block), 1);
}

std::size_t next_look(std::size_t passes, std::size_t total, const AdaptiveOptions& options) {
  if (passes == 0) return std::min(options.first, total);
  return options.block < total - passes ? passes + options.block : total;
}

SequentialDecision::SequentialDecision(std::size_t classes, std::size_t total,
                                       const AdaptiveOptions& adaptive,
                                       const DecisionOptions& decision,
                                       const Calibration* calibration)
    : total_(total), adaptive_(adaptive), decision_(decision), calibration_(calibration) {
  check_at_least("the number of passes", static_cast<double>(total), 1);
  check_adaptive_options(adaptive);
  check_decision_options(decision);
  if (calibration) check_classes(*calibration, classes);
  if (calibration && !is_scalar(calibration->method)) {
    scaled_ = {SamplePasses(classes), SamplePasses(classes, calibration->t_high),
               SamplePasses(classes, calibration->t_low)};
  } else {
    scaled_ = {SamplePasses(classes, calibration ? calibration->t_high : 1.0)};
  }
}

void SequentialDecision::add_pass(ArrayView<const double> logits) {
  for (SamplePasses& passes : scaled_) passes.add(logits);
}

void SequentialDecision::add_probabilities(ArrayView<const double> row) {
  if (calibration_) throw ArgumentError("a calibration scales logits, not probabilities");
  scaled_.front().add_probabilities(row);
}

ScalingRegion SequentialDecision::region() const {
  const Summary unscaled = summary_of(scaled_[kUnscaled]);
  return scaling_region(unscaled.confidence, unscaled.entropy, calibration_->thresholds);
}

const SamplePasses& SequentialDecision::in_use() const {
  if (!is_dual()) return scaled_.front();
  return scaled_[region() == ScalingRegion::kSharpen ? kAtHigh : kAtLow];
}

double SequentialDecision::risk() const {
  if (passes() >= total_) return 0;
  const double risk = chance_of_other_decision(MeanForecast(in_use(), total_), decision_);
  if (!is_dual()) return std::min(risk, 1.0);
  const double by_region = risk + chance_of_other_region(MeanForecast(scaled_[kUnscaled], total_),
                                                         region(), calibration_->thresholds);
  const MeanForecast high(scaled_[kAtHigh], total_);
  const MeanForecast low(scaled_[kAtLow], total_);
  if (decide(high.now(), decision_) != decide(low.now(), decision_))
    return std::min(by_region, 1.0);
  return std::min(
      {by_region,
       chance_of_other_decision(high, decision_) + chance_of_other_decision(low, decision_), 1.0});
}

bool SequentialDecision::settled() const {
  const double share = static_cast<double>(passes()) / static_cast<double>(total_);
  return risk() <= adaptive_.error * share;
}

McDecision SequentialDecision::decision() const { return decide(summary_of(in_use()), decision_); }

}  // namespace cubcal
