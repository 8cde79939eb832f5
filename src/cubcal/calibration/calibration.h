#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/boundary/regions.h"
#include "cubcal/boundary/thresholds.h"
#include "cubcal/metrics/bins.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal {

enum class CalibrationMethod {
  kTsNll,      ///< one temperature, minimises NLL of the mean prediction
  kTsBcce,     ///< one temperature, minimises BCCE
  kDts,        ///< T_high and T_low with fixed regions, minimise BCCE in a box
  kDtsGuarded  ///< the same in a wide box, subject to a bound on NLL
};

inline constexpr std::array<CalibrationMethod, 4> kCalibrationMethods = {
    CalibrationMethod::kTsNll, CalibrationMethod::kTsBcce, CalibrationMethod::kDts,
    CalibrationMethod::kDtsGuarded};

/// "ts-nll", "ts-bcce", "dts", "dts-guarded".
const char* method_name(CalibrationMethod method);
/// Throws ArgumentError listing the known names.
CalibrationMethod method_from_name(const std::string& name);
/// Whether the method has one temperature for all samples.
bool is_scalar(CalibrationMethod method);
/// Whether fitting looks at labels (BCCE does not, NLL does).
bool needs_labels(CalibrationMethod method);

/// A closed interval of temperatures.
struct TemperatureBox {
  double low;
  double high;
};

/// A fitted calibration: all that is needed to apply it, and what the fit saw.
struct Calibration {
  CalibrationMethod method = CalibrationMethod::kDtsGuarded;
  std::size_t classes = 0;
  Thresholds thresholds{};        ///< scaling regions; of no effect for one temperature
  double t_high = 1.0;            ///< for samples to sharpen
  double t_low = 1.0;             ///< for samples to soften; equal to t_high for one temperature
  TemperatureBox box_high{1, 1};  ///< where t_high was searched
  TemperatureBox box_low{1, 1};
  double gamma = kDefaultGamma;  ///< of the objective
  std::size_t bins = kDefaultBins;
  std::optional<double> nll_tolerance;  ///< dts-guarded: NLL may rise by this share at most
  double objective_before = 0;          ///< on the fitted set at T = 1: NLL (ts-nll) or BCCE
  double objective_after = 0;
  std::size_t samples = 0;     ///< fitted on
  double share_sharpened = 0;  ///< share of them in the sharpen region
  /// Of the model whose logits it was fitted on; empty where the logits do not say.
  std::string weights_hash = {};
  /// Of those logits (logits_hash); empty where this is not known.
  std::string data_hash = {};
};

/// Whether it scales nothing: T = 1.
bool leaves_all(const Calibration& calibration);

/// "[0.5, 1]".
std::string text_of(const TemperatureBox& box);

/// A sentence for each temperature that lies on a bound of the box it was searched in. A region
/// without samples has none, and neither has a temperature of 1 without a gain, which neither data
/// nor bound set: nothing beat no scaling.
std::vector<std::string> bound_warnings(const Calibration& calibration);

/// Throws DataError when the number of classes is not the one the calibration was fitted for.
void check_classes(const Calibration& calibration, std::size_t classes);

/// The temperature of each sample, from its unscaled prediction. Throws DataError when the number
/// of classes is not the one the calibration was fitted for.
std::vector<double> sample_temperatures(const Calibration& calibration, const Predictive& unscaled);

/// The prediction through a calibration, where there is one.
Predictive predict_calibrated(const McLogits& logits,
                              const std::optional<Calibration>& calibration);

/// The calibrated prediction.
Predictive apply_calibration(const Calibration& calibration, const McLogits& logits,
                             const Predictive& unscaled);

/// JSON text with a format name and version; writing and reading round-trips every number.
std::string calibration_to_json(const Calibration& calibration);
/// Throws DataError naming the field that is missing, of a wrong type or outside its domain.
Calibration calibration_from_json(const std::string& text);

void save_calibration(const std::string& path, const Calibration& calibration);
Calibration load_calibration(const std::string& path);

}  // namespace cubcal
