#include "cubcal/evaluation/calibration_choice.h"

#include "cubcal/core/error.h"
#include "cubcal/evaluation/predict_file.h"

namespace cubcal {

const FitResult* CalibrationChoice::best() const {
  return selection.best ? &selection.candidates[*selection.best].fit : nullptr;
}

CalibrationChoice choose_calibration(const LogitsFile& validation,
                                     const std::optional<LogitsFile>& test, const FitOptions& fit,
                                     const MetricOptions& metrics) {
  SelectionOptions options;
  options.fit = fit;
  options.metrics = metrics;
  CalibrationChoice choice;
  choice.by_group = !validation.groups.empty();
  try {
    choice.selection = select_calibration(McLogits(validation.logits), validation.labels,
                                          validation.groups, options);
  } catch (const DataError& error) {
    throw DataError(validation.path + ": " + error.what());
  }
  const std::string data_hash = logits_hash(McLogits(validation.logits));
  for (CalibrationCandidate& each : choice.selection.candidates) {
    each.fit.calibration.weights_hash = validation.weights_hash;
    each.fit.calibration.data_hash = data_hash;
  }
  if (!test) return choice;
  const SampleFacts before = sample_facts(predict_file(*test, std::nullopt), test->labels, metrics);
  for (const CalibrationCandidate& candidate : choice.selection.candidates) {
    const SampleFacts after =
        sample_facts(predict_file(*test, candidate.fit.calibration), test->labels, metrics);
    choice.on_test.push_back(calibration_effect(before, after, test->groups, options.bootstrap));
  }
  return choice;
}

}  // namespace cubcal
