#include "cubcal/calibration/fit.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cubcal/boundary/curve.h"
#include "cubcal/calibration/grid_search.h"
#include "cubcal/calibration/temperature_curve.h"
#include "cubcal/core/check.h"
#include "cubcal/metrics/calibration_error.h"
#include "cubcal/metrics/classification.h"

namespace cubcal {

namespace {

constexpr TemperatureBox kScalarBox{0.25, 4.0};
constexpr TemperatureBox kHighBox{0.5, 1.0};
constexpr TemperatureBox kLowBox{1.0, 2.0};
constexpr TemperatureBox kGuardedHighBox{0.05, 1.0};
constexpr TemperatureBox kGuardedLowBox{1.0, 20.0};
constexpr std::size_t kRefinedPoints = 21;
// The same NLL summed in another order differs by rounding; T = 1 must keep a tolerance of 0.
constexpr double kSumRounding = 1e-12;
// The prediction of float32 logits is good to about 1e-8: the promise is kept for it too.
constexpr double kPredictionRounding = 1e-7;

void check_box(const char* name, const TemperatureBox& box) {
  check_positive(name, box.low);
  check_positive(name, box.high);
  if (box.low > box.high) {
    throw ArgumentError(std::string(name) + " must run from low to high, not from " +
                        to_text(box.low) + " to " + to_text(box.high));
  }
}

/// The samples of a fit and where their temperatures may go.
struct Axis {
  const char* name;
  std::vector<std::size_t> samples;
  TemperatureBox box;
};

class Fitter {
 public:
  Fitter(const McLogits& logits, ArrayView<const std::int64_t> labels, const FitOptions& options)
      : logits_(logits), labels_(labels), options_(options) {}

  FitResult fit();

 private:
  void check() const;
  void fit_scalar();
  void fit_pair();
  TemperatureCurve curve(const Axis& axis, const std::vector<double>& temperatures) const;
  double first_spacing(const Axis& axis) const;
  std::vector<double> refined(const Axis& axis, double best, double& spacing) const;
  void warn_on_data();
  double objective(const std::vector<double>& temperatures) const;

  const McLogits& logits_;
  ArrayView<const std::int64_t> labels_;
  const FitOptions& options_;
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

TemperatureCurve Fitter::curve(const Axis& axis, const std::vector<double>& temperatures) const {
  const bool with_nll = needs_labels(options_.method);
  return temperature_curve(logits_, axis.samples,
                           with_nll ? labels_ : ArrayView<const std::int64_t>(), temperatures,
                           {options_.bins, options_.gamma});
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

/// What the data cannot tell this method.
void Fitter::warn_on_data() {
  const Calibration& calibration = result_.calibration;
  if (logits_.classes() == 2 && options_.method != CalibrationMethod::kTsNll &&
      calibration.t_high == 1.0 && calibration.t_low == 1.0) {
    result_.warnings.push_back(
        "with two classes BCCE is 0 whatever the temperature, so T stays 1: use --method ts-nll");
  }
  if (!labels_.empty() && needs_labels(options_.method) &&
      std::all_of(labels_.begin(), labels_.end(),
                  [&](std::int64_t label) { return label == labels_[0]; })) {
    result_.warnings.push_back("all labels are class " + std::to_string(labels_[0]) +
                               ": NLL on one class says nothing about the others");
  }
}

/// NLL or BCCE of the fitted set, worked out from scratch.
double Fitter::objective(const std::vector<double>& temperatures) const {
  const Predictive predictive = predict(logits_, temperatures);
  MetricOptions metric_options;
  metric_options.bins = options_.bins;
  metric_options.gamma = options_.gamma;
  // BCCE does not look at labels: where there are none, any will do.
  const std::vector<std::int64_t> stand_in(labels_.empty() ? logits_.samples() : 0, 0);
  const SampleFacts facts =
      sample_facts(predictive, labels_.empty() ? ArrayView<const std::int64_t>(stand_in) : labels_,
                   metric_options);
  return options_.method == CalibrationMethod::kTsNll
             ? negative_log_likelihood(facts)
             : boundary_curve_calibration_error(facts).value;
}

void Fitter::fit_scalar() {
  Axis axis{"T", std::vector<std::size_t>(logits_.samples()), options_.box.value_or(kScalarBox)};
  check_box("the box of T", axis.box);
  std::iota(axis.samples.begin(), axis.samples.end(), std::size_t{0});
  const auto search = [&](const std::vector<double>& temperatures) {
    const TemperatureCurve along = curve(axis, temperatures);
    if (options_.method == CalibrationMethod::kTsNll) {
      std::vector<double> mean_nll = along.nll;
      for (double& nll : mean_nll) nll /= static_cast<double>(logits_.samples());
      return best_temperature(temperatures, mean_nll);
    }
    return best_temperature(temperatures, bcce_along(along, logits_.samples()));
  };
  double best = search(temperature_grid(axis.box, options_.grid));
  double spacing = first_spacing(axis);
  for (std::size_t round = 0; round < options_.refinements; ++round) {
    best = search(refined(axis, best, spacing));
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
  const Predictive unscaled = predict(logits_);
  for (std::size_t i = 0; i < unscaled.samples; ++i) {
    const ScalingRegion region =
        scaling_region(unscaled.confidence[i], unscaled.entropy[i], calibration.thresholds);
    (region == ScalingRegion::kSharpen ? high : low).samples.push_back(i);
  }
  calibration.share_sharpened =
      static_cast<double>(high.samples.size()) / static_cast<double>(unscaled.samples);

  std::optional<double> largest_nll;
  if (guarded) {
    const double nll_at_one = curve(high, {1.0}).nll[0] + curve(low, {1.0}).nll[0];
    largest_nll = nll_at_one *
                  std::max(1.0 + kSumRounding, 1.0 + options_.nll_tolerance - kPredictionRounding);
  }
  const auto first_grid = [&](const Axis& axis) {
    return axis.samples.empty() ? std::vector<double>{1.0}
                                : temperature_grid(axis.box, options_.grid);
  };
  const auto search = [&](const std::vector<double>& t_high, const std::vector<double>& t_low) {
    const auto best =
        best_pair(curve(high, t_high), curve(low, t_low), unscaled.samples, largest_nll);
    if (!best) {
      throw DataError("no pair of temperatures in " + text_of(high.box) + " x " + text_of(low.box) +
                      " keeps the NLL within the tolerance; let the boxes hold 1");
    }
    return *best;
  };
  TemperaturePair best = search(first_grid(high), first_grid(low));
  double high_spacing = first_spacing(high);
  double low_spacing = first_spacing(low);
  for (std::size_t round = 0; round < options_.refinements; ++round) {
    const auto next = [&](const Axis& axis, double temperature, double& spacing) {
      return axis.samples.empty() ? std::vector<double>{1.0} : refined(axis, temperature, spacing);
    };
    best = search(next(high, best.t_high, high_spacing), next(low, best.t_low, low_spacing));
  }
  for (const Axis* axis : {&high, &low}) {
    if (!axis->samples.empty()) continue;
    result_.warnings.push_back(std::string("no sample is in the region of ") + axis->name +
                               ", which keeps its value 1");
  }
  calibration.t_high = best.t_high;
  calibration.t_low = best.t_low;
  calibration.box_high = high.box;
  calibration.box_low = low.box;
  if (guarded) calibration.nll_tolerance = options_.nll_tolerance;
}

FitResult Fitter::fit() {
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
  const std::vector<double> one{1.0};
  calibration.objective_before = objective(one);
  if (is_scalar(options_.method)) {
    fit_scalar();
  } else {
    fit_pair();
  }
  calibration.objective_after = objective(sample_temperatures(calibration, predict(logits_)));
  const auto holds_one = [](const TemperatureBox& box) {
    return box.low <= 1.0 && box.high >= 1.0;
  };
  if (calibration.objective_after > calibration.objective_before &&
      holds_one(calibration.box_high) && holds_one(calibration.box_low)) {
    // A gain smaller than the rounding of the prediction is none.
    calibration.t_high = calibration.t_low = 1.0;
    calibration.objective_after = calibration.objective_before;
  }
  for (std::string& warning : bound_warnings(calibration)) {
    result_.warnings.push_back(std::move(warning));
  }
  warn_on_data();
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
  const bool holds_one = box.low <= 1.0 && box.high >= 1.0;
  if (holds_one && std::find(temperatures.begin(), temperatures.end(), 1.0) == temperatures.end()) {
    temperatures.push_back(1.0);
  }
  return temperatures;
}

FitResult fit_calibration(const McLogits& logits, ArrayView<const std::int64_t> labels,
                          const FitOptions& options) {
  return Fitter(logits, labels, options).fit();
}

}  // namespace cubcal
