#include "cubcal_nn/classifier/answering.h"

#include "cubcal/boundary/regions.h"
#include "cubcal/core/check.h"
#include "cubcal/uncertainty/pass_spread.h"
#include "cubcal_nn/infer/adaptive_prediction.h"

namespace cubcal {

namespace {

struct NetworkOutput {
  Predictive unscaled;
  Predictive calibrated;
  std::vector<std::size_t> passes;  ///< per image
  std::vector<double> ood_scores;   ///< where there is a verdict
  std::vector<PassSpread> spreads;  ///< where asked for
};

bool takes_features_of_passes(const JudgingModel& judging) {
  return judging.verdict && judging.verdict->policy.features == FeatureSource::kPasses;
}

void predict_all_passes(const JudgingModel& judging, McEngine& engine, const at::Tensor& images,
                        const AnsweringOptions& options, NetworkOutput& output) {
  McOptions mc = options.mc;
  mc.features = takes_features_of_passes(judging);
  const McOutput run = engine.run(images, mc);
  const McLogits logits(run.logits);
  const std::optional<Calibration>& calibration = judging.model.description.calibration;
  output.unscaled = predict(logits);
  output.calibrated =
      calibration ? apply_calibration(*calibration, logits, output.unscaled) : output.unscaled;
  output.passes.assign(logits.samples(), logits.passes());
  if (options.spread) {
    const std::vector<double> ones(logits.samples(), 1.0);
    output.spreads = pass_spreads(
        logits, calibration ? sample_temperatures(*calibration, output.unscaled) : ones);
  }
  if (mc.features) {
    output.ood_scores = score_all(*judging.verdict->detector, detector_input(run, images));
  }
}

NetworkOutput run_network(const JudgingModel& judging, McEngine& engine, const at::Tensor& images,
                          const AnsweringOptions& options) {
  NetworkOutput output;
  if (options.adaptive) {
    AdaptivePrediction adaptive =
        predict_adaptively(engine, *judging.model.network, images, options.mc, *options.adaptive,
                           options.decision, judging.model.description.calibration);
    output.unscaled = std::move(adaptive.unscaled);
    output.calibrated = std::move(adaptive.calibrated);
    output.passes = std::move(adaptive.passes);
  } else {
    predict_all_passes(judging, engine, images, options, output);
  }
  if (judging.verdict && output.ood_scores.empty()) {
    output.ood_scores = verdict_scores(*judging.verdict, engine, images, options.mc);
  }
  return output;
}

constexpr std::size_t kClassesNamed = 6;  ///< of a set in a sentence

/// "the set at 90% holds 2 classes: nevus, melanoma".
std::string set_reason(const std::vector<std::size_t>& set, double level, const Answer& answer,
                       const std::vector<std::string>& class_names) {
  std::string reason = "the set at " + significant(100 * level, 4) + "% holds ";
  if (set.empty()) return reason + "no class";
  if (set.size() == 1) {
    reason += class_names[set.front()] + " alone";
    if (set.front() != answer.label_index) reason += ", and not the answer " + answer.label;
    return reason;
  }
  reason += std::to_string(set.size()) + " classes: ";
  for (std::size_t i = 0; i < set.size() && i < kClassesNamed; ++i) {
    reason += (i == 0 ? "" : ", ") + class_names[set[i]];
  }
  if (set.size() > kClassesNamed) {
    reason += " and " + std::to_string(set.size() - kClassesNamed) + " more";
  }
  return reason;
}

std::string uncertainty_reason(const Answer& answer, double refer_above) {
  return "uncertainty " + significant(answer.total, 4) +
         (answer.decision == Decision::kRefer ? " is above " : " is at most ") +
         significant(refer_above, 4) + " nats";
}

/// Why an image is decided so.
std::string reason_for(const Answer& answer, const JudgingModel& judging) {
  const double alpha = judging.verdict ? judging.verdict->policy.options.alpha : 0;
  if (answer.decision == Decision::kOutOfScope) {
    return "unlike the images the model knows: p " + significant(*answer.ood_p_value, 4) +
           " is at most " + significant(alpha, 4);
  }
  std::string reason = answer.prediction_set
                           ? set_reason(*answer.prediction_set, *judging.set_level(), answer,
                                        judging.model.description.class_names)
                           : uncertainty_reason(answer, judging.refer_above());
  if (answer.ood_p_value && answer.decision == Decision::kAccept) {
    reason +=
        ", and p " + significant(*answer.ood_p_value, 4) + " is above " + significant(alpha, 4);
  }
  return reason;
}

}  // namespace

double JudgingModel::refer_above() const {
  return verdict ? verdict->policy.uncertainty : model.description.operating_point().eta;
}

std::optional<double> JudgingModel::set_level() const {
  if (!verdict || !verdict->policy.sets) return std::nullopt;
  return 1 - verdict->policy.sets->options.alpha;
}

std::vector<Answer> answer_images(const JudgingModel& judging, McEngine& engine,
                                  const at::Tensor& images, const AnsweringOptions& options) {
  const NetworkOutput output = run_network(judging, engine, images, options);
  const Predictive& final = output.calibrated;
  const ModelDescription& description = judging.model.description;
  const Thresholds thresholds = description.operating_point();
  std::vector<Answer> answers;
  for (std::size_t i = 0; i < final.samples; ++i) {
    const auto row = final.probabilities.begin() + static_cast<std::ptrdiff_t>(i * final.classes);
    Answer answer;
    answer.label_index = static_cast<std::size_t>(final.predicted[i]);
    answer.label = description.class_names[answer.label_index];
    answer.probabilities.assign(row, row + static_cast<std::ptrdiff_t>(final.classes));
    answer.confidence = final.confidence[i];
    answer.total = final.entropy[i];
    answer.aleatoric = final.aleatoric[i];
    answer.epistemic = final.epistemic(i);
    answer.sharpened = scaling_region(output.unscaled.confidence[i], output.unscaled.entropy[i],
                                      thresholds) == ScalingRegion::kSharpen;
    if (judging.verdict) {
      Verdict verdict = judge(judging.verdict->policy, output.ood_scores[i], final.entropy[i],
                              answer.probabilities.data());
      if (judging.verdict->policy.sets) answer.prediction_set = std::move(verdict.set);
      answer.decision = verdict.decision;
      answer.ood_p_value = verdict.p_value;
    } else {
      answer.decision =
          final.entropy[i] > judging.refer_above() ? Decision::kRefer : Decision::kAccept;
    }
    answer.reason = reason_for(answer, judging);
    answer.passes = output.passes[i];
    if (!output.spreads.empty()) {
      answer.spread_low = output.spreads[i].low;
      answer.spread_high = output.spreads[i].high;
    }
    answers.push_back(std::move(answer));
  }
  return answers;
}

}  // namespace cubcal
