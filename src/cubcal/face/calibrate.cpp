#include "cubcal/calibrate.h"

#include "cubcal/calibration/calibration.h"
#include "cubcal/calibration/fit.h"
#include "cubcal/calibration/selection.h"

namespace cubcal {

Calibrator::Calibrator(const Calibration& calibration, std::vector<std::string> warnings)
    : calibration_(std::make_shared<const Calibration>(calibration)),
      warnings_(std::move(warnings)) {}

Calibrator Calibrator::load(const std::string& path) { return Calibrator(load_calibration(path)); }

std::string Calibrator::method() const {
  return calibration_ ? method_name(calibration_->method) : "none";
}

double Calibrator::t_high() const { return calibration_ ? calibration_->t_high : 1; }

double Calibrator::t_low() const { return calibration_ ? calibration_->t_low : 1; }

Predictive Calibrator::apply(const McLogits& logits) const {
  if (!calibration_) return predict(logits);
  return apply_calibration(*calibration_, logits, predict(logits));
}

void Calibrator::save(const std::string& path) const {
  if (!calibration_) throw ArgumentError("there is no calibration to save: none was found to help");
  save_calibration(path, *calibration_);
}

Calibrator calibrate(const McLogits& logits, const std::vector<std::int64_t>& labels,
                     const CalibrationOptions& options) {
  FitOptions fit;
  fit.eta = options.eta;
  if (!options.method.empty()) {
    fit.method = method_from_name(options.method);
    FitResult result = fit_calibration(logits, labels, fit, options.groups);
    result.calibration.data_hash = logits_hash(logits);
    return Calibrator(result.calibration, std::move(result.warnings));
  }
  SelectionOptions selecting;
  selecting.fit = fit;
  selecting.metrics.uncertainty_threshold = options.eta;
  selecting.seed = options.seed;
  const CalibrationSelection selection =
      select_calibration(logits, labels, options.groups, selecting);
  if (!selection.best) return Calibrator();
  FitResult best = selection.candidates[*selection.best].fit;
  best.calibration.data_hash = logits_hash(logits);
  return Calibrator(best.calibration, best.warnings);
}

}  // namespace cubcal
