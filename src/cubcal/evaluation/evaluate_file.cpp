#include "cubcal/evaluation/evaluate_file.h"

#include "cubcal/evaluation/predict_file.h"
#include "cubcal/uncertainty/mc_logits.h"

namespace cubcal {

Evaluation evaluate_file(const LogitsFile& file, const LogitsFile* outliers,
                         const std::string& calibration, const EvaluationPlan& plan) {
  const std::optional<Calibration> temperatures = calibration_at(calibration);
  const Predictive predictive = predict_file(file, temperatures);
  Evaluation evaluation = evaluate_prediction(
      predictive, file.labels, plan.by_group ? file.groups : std::vector<std::string>{}, plan);
  if (temperatures) evaluation.calibration = applied(*temperatures);
  evaluation.file = file.path;
  evaluation.class_names = file.class_names;
  evaluation.files = file.files;
  evaluation.passes = McLogits(file.logits).passes();
  if (outliers) {
    evaluation.detection = output_detection(predictive, predict_file(*outliers, temperatures), "");
  }
  return evaluation;
}

}  // namespace cubcal
