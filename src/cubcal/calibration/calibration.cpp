#include "cubcal/calibration/calibration.h"

#include "cubcal/core/check.h"
#include "cubcal/core/named_values.h"
#include "cubcal/core/tolerances.h"

namespace cubcal {

namespace {

constexpr NamedValue<CalibrationMethod> kMethods[] = {
    {"ts-nll", CalibrationMethod::kTsNll},
    {"ts-bcce", CalibrationMethod::kTsBcce},
    {"dts", CalibrationMethod::kDts},
    {"dts-guarded", CalibrationMethod::kDtsGuarded}};

}  // namespace

const char* method_name(CalibrationMethod method) { return name_of(kMethods, method); }

CalibrationMethod method_from_name(const std::string& name) {
  return value_named(kMethods, name, "the calibration method");
}

bool is_scalar(CalibrationMethod method) {
  return method == CalibrationMethod::kTsNll || method == CalibrationMethod::kTsBcce;
}

bool needs_labels(CalibrationMethod method) {
  return method == CalibrationMethod::kTsNll || method == CalibrationMethod::kDtsGuarded;
}

bool leaves_all(const Calibration& calibration) {
  return calibration.t_high == 1 && calibration.t_low == 1;
}

std::string text_of(const TemperatureBox& box) {
  return "[" + to_text(box.low) + ", " + to_text(box.high) + "]";
}

std::vector<std::string> bound_warnings(const Calibration& calibration) {
  std::vector<std::string> warnings;
  const bool gained = calibration.objective_after < calibration.objective_before;
  const auto look = [&](const char* name, double temperature, const TemperatureBox& box) {
    if (box.low == box.high || (temperature == 1.0 && !gained)) return;
    const bool at_low = temperature <= box.low * (1 + kCountSlack);
    const bool at_high = temperature >= box.high * (1 - kCountSlack);
    if (!at_low && !at_high) return;
    warnings.push_back(std::string(name) + " = " + to_text(temperature) + " lies on the " +
                       (at_low ? "lower" : "upper") + " bound of its box " + text_of(box) +
                       ": the bound, not the data, set it");
  };
  if (is_scalar(calibration.method)) {
    look("T", calibration.t_high, calibration.box_high);
    return warnings;
  }
  if (calibration.share_sharpened > 0) look("T_high", calibration.t_high, calibration.box_high);
  if (calibration.share_sharpened < 1) look("T_low", calibration.t_low, calibration.box_low);
  return warnings;
}

void check_classes(const Calibration& calibration, std::size_t classes) {
  if (calibration.classes == classes) return;
  throw DataError("the calibration was fitted for " + std::to_string(calibration.classes) +
                  " classes and cannot be applied to " + std::to_string(classes));
}

std::vector<double> sample_temperatures(const Calibration& calibration,
                                        const Predictive& unscaled) {
  check_classes(calibration, unscaled.classes);
  std::vector<double> temperatures(unscaled.samples, calibration.t_high);
  if (is_scalar(calibration.method)) return temperatures;
  for (std::size_t i = 0; i < unscaled.samples; ++i) {
    const ScalingRegion region =
        scaling_region(unscaled.confidence[i], unscaled.entropy[i], calibration.thresholds);
    if (region == ScalingRegion::kSoften) temperatures[i] = calibration.t_low;
  }
  return temperatures;
}

Predictive predict_calibrated(const McLogits& logits,
                              const std::optional<Calibration>& calibration) {
  Predictive unscaled = predict(logits);
  return calibration ? apply_calibration(*calibration, logits, unscaled) : unscaled;
}

Predictive apply_calibration(const Calibration& calibration, const McLogits& logits,
                             const Predictive& unscaled) {
  return predict(logits, sample_temperatures(calibration, unscaled));
}

}  // namespace cubcal
