#include "cubcal/calibration/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "cubcal/boundary/curve.h"
#include "cubcal/calibration/folds.h"
#include "cubcal/calibration/grid_search.h"
#include "cubcal/calibration/guard.h"
#include "cubcal/calibration/nll_descent.h"
#include "cubcal/calibration/temperature_curve.h"
#include "cubcal/core/check.h"
#include "cubcal/core/tolerances.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/classification.h"

namespace cubcal {

namespace {

constexpr TemperatureBox kScalarBox{0.25, 4.0};
constexpr TemperatureBox kWidestBox{1.0 / 256, 1024.0};  // of ts-nll, by factors of 4
constexpr TemperatureBox kHighBox{0.5, 1.0};
constexpr TemperatureBox kLowBox{1.0, 2.0};
constexpr TemperatureBox kGuardedHighBox{0.05, 1.0};
constexpr TemperatureBox kGuardedLowBox{1.0, 20.0};
constexpr std::size_t kRefinedPoints = 21;

void check_box(const char* name, const TemperatureBox& box) {
  check_positive(name, box.low);
  check_positive(name, box.high);
  if (box.low > box.high) {
    throw ArgumentError(std::string(name) + " must run from low to high, not from " +
                        to_text(box.low) + " to " + to_text(box.high));
  }
}

bool holds_one(const TemperatureBox& box) { return box.low <= 1.0 && box.high >= 1.0; }

/// The samples of a fit and where their temperatures may go.
struct Axis {
  const char* name;
  std::vector<std::size_t> samples;
  TemperatureBox box;
  std::vector<std::size_t> searched = {};  ///< of the samples those of the first search

  bool is_thinned() const { return searched.size() < samples.size(); }
};

/// A grid around a temperature that a part of the samples has found.
struct Polish {
  int steps;
  double step;    ///< as a share of 1/T
  bool with_one;  ///< what has beaten T = 1 once need not do so again
};
constexpr std::array<Polish, 2> kPolish = {{{4, 0.015, true}, {2, 0.005, false}}};

/// So many even steps to either side of the best in 1/T, inside the box, and where asked for 1.
std::vector<double> around(const Axis& axis, double best, const Polish& polish) {
  std::vector<double> temperatures;
  for (int step = -polish.steps; step <= polish.steps; ++step) {
    const double temperature = best / (1 + step * polish.step);
    temperatures.push_back(std::clamp(temperature, axis.box.low, axis.box.high));
  }
  temperatures.erase(std::unique(temperatures.begin(), temperatures.end()), temperatures.end());
  const bool has_one =
      std::find(temperatures.begin(), temperatures.end(), 1.0) != temperatures.end();
  if (polish.with_one && !has_one && holds_one(axis.box)) temperatures.push_back(1.0);
  return temperatures;
}

/// An empty region has no temperature to look for.
std::vector<double> only_one_if_empty(const Axis& axis, std::vector<double> temperatures) {
  return axis.samples.empty() ? std::vector<double>{1.0} : std::move(temperatures);
}

class Fitter {
 public:
  Fitter(const McLogits& logits, ArrayView<const std::int64_t> labels, const FitOptions& options,
         const std::vector<std::string>& groups)
      : logits_(logits), labels_(labels), options_(options), groups_(groups) {}

  FitResult fit(FittedPredictions* predictions);

 private:
  void check() const;
  void fit_scalar();
  void fit_pair();
  void choose_searched(Axis& axis) const;
  TemperatureCurve curve(const std::vector<std::size_t>& samples,
                         const std::vector<double>& temperatures) const;
  double best_on(const std::vector<std::size_t>& samples,
                 const std::vector<double>& temperatures) const;
  std::vector<double> first_grid(const Axis& axis) const;
  double first_spacing(const Axis& axis) const;
  std::vector<double> refined(const Axis& axis, double best, double& spacing) const;
  std::optional<double> guard(const Axis& high, const Axis& low);
  void warn_on_data();
  void warn_on_bounds();
  double objective(const Predictive& predictive) const;
  double nll_at_one(const TemperatureCurve& along, const std::vector<std::size_t>& samples) const;

  const McLogits& logits_;
  ArrayView<const std::int64_t> labels_;
  const FitOptions& options_;
  const std::vector<std::string>& groups_;
  Predictive unscaled_;
  std::optional<FoldCurves> all_folds_;  ///< the first grid, where a guard has worked it out
  FitResult result_;
};

void Fitter::check() const {
  check_gamma(options_.gamma, logits_.classes());
  check_at_least("the number of bins", static_cast<double>(options_.bins), 1);
  check_at_least("the grid", static_cast<double>(options_.grid), 2);
  check_at_least("the NLL tolerance", options_.nll_tolerance, 0);
  if (labels_.empty() && needs_labels(options_.method)) {
    throw DataError(std::string("the method ") + method_name(options_.method) +
                    " needs labels, and there are none");
  }
}

/// Every so many-th sample, and not so few that a small region is known by chance alone.
void Fitter::choose_searched(Axis& axis) const {
  constexpr std::size_t kFewest = 2000;
  const std::size_t logits = logits_.passes() * logits_.samples() * logits_.classes();
  const std::size_t stride = std::min((logits - 1) / kSearchedLogits + 1,
                                      std::max<std::size_t>(1, axis.samples.size() / kFewest));
  for (std::size_t i = 0; i < axis.samples.size(); i += stride) {
    axis.searched.push_back(axis.samples[i]);
  }
}

TemperatureCurve Fitter::curve(const std::vector<std::size_t>& samples,
                               const std::vector<double>& temperatures) const {
  const bool with_nll = needs_labels(options_.method);
  return temperature_curve(logits_, samples, with_nll ? labels_ : ArrayView<const std::int64_t>(),
                           temperatures, {options_.bins, options_.gamma});
}

/// The sum of -ln p_y at T = 1, from a curve of these samples that may have that point.
double Fitter::nll_at_one(const TemperatureCurve& along,
                          const std::vector<std::size_t>& samples) const {
  const auto one = std::find(along.temperatures.begin(), along.temperatures.end(), 1.0);
  if (one == along.temperatures.end()) return curve(samples, {1.0}).nll[0];
  return along.nll[static_cast<std::size_t>(one - along.temperatures.begin())];
}

/// The best single temperature for these samples.
double Fitter::best_on(const std::vector<std::size_t>& samples,
                       const std::vector<double>& temperatures) const {
  const TemperatureCurve along = curve(samples, temperatures);
  if (options_.method != CalibrationMethod::kTsNll) {
    return best_temperature(temperatures, bcce_along(along, samples.size()));
  }
  std::vector<double> mean_nll = along.nll;
  for (double& nll : mean_nll) nll /= static_cast<double>(samples.size());
  return best_temperature(temperatures, mean_nll);
}

std::vector<double> Fitter::first_grid(const Axis& axis) const {
  return only_one_if_empty(axis, temperature_grid(axis.box, options_.grid));
}

double Fitter::first_spacing(const Axis& axis) const {
  return (1.0 / axis.box.low - 1.0 / axis.box.high) / static_cast<double>(options_.grid - 1);
}

/// A grid of a tenth of the spacing (in 1/T) around the best temperature, clipped to the box.
std::vector<double> Fitter::refined(const Axis& axis, double best, double& spacing) const {
  const double low = std::max(1.0 / axis.box.high, 1.0 / best - spacing);
  const double high = std::min(1.0 / axis.box.low, 1.0 / best + spacing);
  std::vector<double> temperatures = temperature_grid({1.0 / high, 1.0 / low}, kRefinedPoints);
  temperatures.push_back(best);
  // 1 / (1 / T) need not be T: the ends must not fall out of the box by a rounding error.
  for (double& t : temperatures) t = std::clamp(t, axis.box.low, axis.box.high);
  spacing /= 10.0;
  return temperatures;
}

/// The share by which NLL may rise on the samples that are searched; nothing where T = 1 alone
/// keeps the promise.
std::optional<double> Fitter::guard(const Axis& high, const Axis& low) {
  result_.guard = "fitted set";
  if (options_.guard_folds < 2) return options_.nll_tolerance;
  const Folds folds = make_folds(logits_.samples(), groups_, options_.guard_folds, 0);
  if (folds.count < 2) return options_.nll_tolerance;
  std::vector<FoldCurves> curves;
  for (std::size_t fold = 0; fold < folds.count; ++fold) {
    const auto members = [&](const Axis& axis) {
      std::vector<std::size_t> samples;
      for (const std::size_t i : axis.searched) {
        if (folds.of_sample[i] == fold) samples.push_back(i);
      }
      return samples;
    };
    const std::vector<std::size_t> sharpened = members(high);
    const std::vector<std::size_t> softened = members(low);
    FoldCurves each;
    each.high = curve(sharpened, first_grid(high));
    each.low = curve(softened, first_grid(low));
    each.nll_at_one = curve(sharpened, {1.0}).nll[0] + curve(softened, {1.0}).nll[0];
    each.samples = sharpened.size() + softened.size();
    if (each.samples > 0) curves.push_back(std::move(each));
  }
  if (curves.size() < 2) return options_.nll_tolerance;
  result_.guard = std::to_string(curves.size()) + "-fold cross-validation";
  all_folds_ = sum_of(curves);
  return cross_validated_allowance(curves, options_.nll_tolerance);
}

/// What the data cannot tell this method.
void Fitter::warn_on_data() {
  const Calibration& calibration = result_.calibration;
  if (logits_.classes() == 2 && options_.method != CalibrationMethod::kTsNll &&
      calibration.t_high == 1.0 && calibration.t_low == 1.0) {
    result_.warnings.push_back(
        "with two classes BCCE is 0 whatever the temperature, so T stays 1: use ts-nll");
  }
  if (!labels_.empty() && needs_labels(options_.method) &&
      std::all_of(labels_.begin(), labels_.end(),
                  [&](std::int64_t label) { return label == labels_[0]; })) {
    result_.warnings.push_back("all labels are class " + std::to_string(labels_[0]) +
                               ": NLL on one class says nothing about the others");
  }
}

/// BCCE in its default box ends on a bound as a rule, and no other advice follows from it.
void Fitter::warn_on_bounds() {
  const bool is_asked_for = options_.box || options_.box_high || options_.box_low;
  if (!is_asked_for && options_.method != CalibrationMethod::kTsNll) return;
  for (std::string& warning : bound_warnings(result_.calibration)) {
    result_.warnings.push_back(std::move(warning));
  }
}

/// NLL or BCCE of the fitted set, worked out from scratch.
double Fitter::objective(const Predictive& predictive) const {
  MetricOptions metric_options;
  metric_options.bins = options_.bins;
  metric_options.gamma = options_.gamma;
  // BCCE does not look at labels: where there are none, any will do.
  const std::vector<std::int64_t> stand_in(labels_.empty() ? logits_.samples() : 0, 0);
  WantedFacts wanted;
  wanted.uncertainty_bins = wanted.brier = wanted.mutual_information = wanted.order = false;
  const SampleFacts facts =
      sample_facts(predictive, labels_.empty() ? ArrayView<const std::int64_t>(stand_in) : labels_,
                   metric_options, wanted);
  return options_.method == CalibrationMethod::kTsNll
             ? negative_log_likelihood(facts)
             : boundary_curve_calibration_error(facts).value;
}

void Fitter::fit_scalar() {
  Axis axis{"T", std::vector<std::size_t>(logits_.samples()), options_.box.value_or(kScalarBox)};
  check_box("the box of T", axis.box);
  std::iota(axis.samples.begin(), axis.samples.end(), std::size_t{0});
  choose_searched(axis);
  const bool is_nll = options_.method == CalibrationMethod::kTsNll;
  double best = best_on(axis.searched, temperature_grid(axis.box, options_.grid));
  // NLL has an optimum of its own: where it lies outside the default box, the box is too small.
  while (is_nll && !options_.box && (best == axis.box.low || best == axis.box.high)) {
    const TemperatureBox wider{best == axis.box.low ? axis.box.low / 4 : axis.box.low,
                               best == axis.box.high ? axis.box.high * 4 : axis.box.high};
    if (wider.low < kWidestBox.low || wider.high > kWidestBox.high) break;
    axis.box = wider;
    best = best_on(axis.searched, temperature_grid(axis.box, options_.grid));
  }
  double spacing = first_spacing(axis);
  for (std::size_t round = 0; round < options_.refinements; ++round) {
    best = best_on(axis.searched, refined(axis, best, spacing));
  }
  if (axis.is_thinned() && is_nll) {
    best = descend_nll(logits_, labels_, best, axis.box);
  } else if (axis.is_thinned()) {
    for (const Polish& polish : kPolish) best = best_on(axis.samples, around(axis, best, polish));
  }
  Calibration& calibration = result_.calibration;
  calibration.t_high = calibration.t_low = best;
  calibration.box_high = calibration.box_low = axis.box;
}

void Fitter::fit_pair() {
  const bool guarded = options_.method == CalibrationMethod::kDtsGuarded;
  Axis high{"T_high", {}, options_.box_high.value_or(guarded ? kGuardedHighBox : kHighBox)};
  Axis low{"T_low", {}, options_.box_low.value_or(guarded ? kGuardedLowBox : kLowBox)};
  check_box("the box of T_high", high.box);
  check_box("the box of T_low", low.box);

  Calibration& calibration = result_.calibration;
  for (std::size_t i = 0; i < unscaled_.samples; ++i) {
    const ScalingRegion region =
        scaling_region(unscaled_.confidence[i], unscaled_.entropy[i], calibration.thresholds);
    (region == ScalingRegion::kSharpen ? high : low).samples.push_back(i);
  }
  choose_searched(high);
  choose_searched(low);
  calibration.share_sharpened =
      static_cast<double>(high.samples.size()) / static_cast<double>(unscaled_.samples);
  calibration.box_high = high.box;
  calibration.box_low = low.box;
  if (guarded) calibration.nll_tolerance = options_.nll_tolerance;
  for (const Axis* axis : {&high, &low}) {
    if (!axis->samples.empty()) continue;
    result_.warnings.push_back(std::string("no sample is in the region of ") + axis->name +
                               ", which keeps its value 1");
  }

  const auto no_pair = [&] {
    return DataError("no pair of temperatures in " + text_of(high.box) + " x " + text_of(low.box) +
                     " keeps the NLL within the tolerance; let the boxes hold 1");
  };
  std::optional<double> allowance = guarded ? guard(high, low) : 0.0;
  if (!allowance) {
    if (!holds_one(high.box) || !holds_one(low.box)) throw no_pair();
    result_.warnings.push_back(
        "no pair of temperatures but 1 keeps the rise of NLL within the tolerance on held-out "
        "samples: T stays 1");
    return;
  }
  const auto largest_nll = [&](double at_one) {
    // Rounding must not exclude T = 1 where nothing is allowed, nor break the promise where
    // something is.
    return at_one * (1.0 + *allowance +
                     (*allowance > kPredictionRounding ? -kPredictionRounding : kSumRounding));
  };
  const auto best_of = [&](const TemperatureCurve& sharpened, const TemperatureCurve& softened,
                           std::size_t samples, std::optional<double> bound) {
    const auto best = best_pair(sharpened, softened, samples, bound);
    if (!best) throw no_pair();
    return *best;
  };
  const auto search = [&](const std::vector<std::size_t>& sharpened,
                          const std::vector<std::size_t>& softened,
                          const std::vector<double>& t_high, const std::vector<double>& t_low,
                          std::optional<double> bound) {
    return best_of(curve(sharpened, t_high), curve(softened, t_low),
                   sharpened.size() + softened.size(), bound);
  };
  std::optional<double> bound;
  if (guarded) {
    bound = largest_nll(curve(high.searched, {1.0}).nll[0] + curve(low.searched, {1.0}).nll[0]);
  }
  TemperaturePair best =
      all_folds_ ? best_of(all_folds_->high, all_folds_->low, all_folds_->samples, bound)
                 : search(high.searched, low.searched, first_grid(high), first_grid(low), bound);
  double high_spacing = first_spacing(high);
  double low_spacing = first_spacing(low);
  for (std::size_t round = 0; round < options_.refinements; ++round) {
    const std::vector<double> t_high =
        only_one_if_empty(high, refined(high, best.t_high, high_spacing));
    const std::vector<double> t_low = only_one_if_empty(low, refined(low, best.t_low, low_spacing));
    best = search(high.searched, low.searched, t_high, t_low, bound);
  }
  if (high.is_thinned() || low.is_thinned()) {
    // What a part of the samples asked for beyond the promise all of them need not give.
    allowance = std::max(*allowance, 0.0);
    std::optional<double> whole;
    for (const Polish& polish : kPolish) {
      const TemperatureCurve sharpened =
          curve(high.samples, only_one_if_empty(high, around(high, best.t_high, polish)));
      const TemperatureCurve softened =
          curve(low.samples, only_one_if_empty(low, around(low, best.t_low, polish)));
      if (guarded && !whole) {
        whole =
            largest_nll(nll_at_one(sharpened, high.samples) + nll_at_one(softened, low.samples));
      }
      best = best_of(sharpened, softened, unscaled_.samples, whole);
    }
  }
  calibration.t_high = best.t_high;
  calibration.t_low = best.t_low;
}

FitResult Fitter::fit(FittedPredictions* predictions) {
  check();
  Calibration& calibration = result_.calibration;
  calibration.method = options_.method;
  calibration.classes = logits_.classes();
  calibration.gamma = options_.gamma;
  calibration.bins = options_.bins;
  calibration.samples = logits_.samples();
  calibration.thresholds = options_.thresholds
                               ? *options_.thresholds
                               : thresholds_from_eta(options_.eta, logits_.classes());
  check_thresholds(calibration.thresholds);
  unscaled_ = predict(logits_);
  calibration.objective_before = objective(unscaled_);
  if (is_scalar(options_.method)) {
    fit_scalar();
  } else {
    fit_pair();
  }
  Predictive calibrated = apply_calibration(calibration, logits_, unscaled_);
  calibration.objective_after = objective(calibrated);
  if (calibration.objective_after > calibration.objective_before &&
      holds_one(calibration.box_high) && holds_one(calibration.box_low)) {
    // A gain smaller than the rounding of the prediction is none.
    calibration.t_high = calibration.t_low = 1.0;
    calibration.objective_after = calibration.objective_before;
    calibrated = unscaled_;
  }
  warn_on_bounds();
  warn_on_data();
  if (predictions != nullptr) *predictions = {std::move(unscaled_), std::move(calibrated)};
  return result_;
}

}  // namespace

std::vector<double> temperature_grid(const TemperatureBox& box, std::size_t count) {
  const double first = 1.0 / box.high;
  const double last = 1.0 / box.low;
  std::vector<double> temperatures;
  for (std::size_t i = 0; i < count; ++i) {
    const double t = static_cast<double>(i) / static_cast<double>(count - 1);
    temperatures.push_back(i == 0           ? box.high
                           : i == count - 1 ? box.low
                                            : 1.0 / (first + t * (last - first)));
  }
  if (holds_one(box) &&
      std::find(temperatures.begin(), temperatures.end(), 1.0) == temperatures.end()) {
    temperatures.push_back(1.0);
  }
  return temperatures;
}

FitResult fit_calibration(const McLogits& logits, ArrayView<const std::int64_t> labels,
                          const FitOptions& options, const std::vector<std::string>& groups,
                          FittedPredictions* predictions) {
  return Fitter(logits, labels, options, groups).fit(predictions);
}

}  // namespace cubcal
