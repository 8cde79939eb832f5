#include "cubcal_nn/train/alarms.h"

#include <cmath>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

constexpr const char* kAdvice =
    ": lower learning_rate, set clip_norm or lengthen warmup_epochs; the last good checkpoint was "
    "kept";

std::string place(std::int64_t stage, std::int64_t epoch) {
  return "stage " + std::to_string(stage) + ", epoch " + std::to_string(epoch + 1);
}

/// The term that broke first, of those the loss is a sum of.
std::string culprit(const LossTerms& terms, const std::vector<TermName>& own) {
  if (!std::isfinite(terms.cross_entropy)) return "cross entropy";
  if (!std::isfinite(terms.kl)) return "KL term";
  for (const TermName& term : own) {
    if (!std::isfinite(number_named(terms.own, term.key))) return term.title;
  }
  return "weighted sum of the terms";
}

}  // namespace

TrainingDiverged loss_not_finite(const LossTerms& terms, const std::vector<TermName>& own,
                                 std::int64_t stage, std::int64_t epoch, std::int64_t step,
                                 double learning_rate) {
  return TrainingDiverged("the loss is not finite at " + place(stage, epoch) + ", step " +
                          std::to_string(step + 1) + " (the " + culprit(terms, own) +
                          " broke, at learning rate " + significant(learning_rate, 4) + ")" +
                          kAdvice);
}

TrainingDiverged weights_not_finite(std::int64_t stage, std::int64_t epoch) {
  return TrainingDiverged("a weight is not finite after " + place(stage, epoch) + kAdvice);
}

TrainingDiverged predictions_not_finite(std::int64_t stage, std::int64_t epoch) {
  return TrainingDiverged("validation after " + place(stage, epoch) +
                          " gives logits that are not finite" + kAdvice);
}

bool no_better_than_one_answer(const EpochReport& report, std::size_t classes) {
  const std::optional<double>& balanced = report.validation[Metric::kBalancedAccuracy];
  return classes > 1 && balanced && *balanced <= 1.04 / static_cast<double>(classes);
}

void count_one_answer(const EpochReport& report, AlarmContext& context) {
  std::int64_t& epochs = context.epochs_of_one_answer;
  epochs = no_better_than_one_answer(report, context.classes) ? epochs + 1 : 0;
}

std::vector<Alarm> epoch_alarms(const EpochReport& report, const AlarmContext& context,
                                const Objective& objective) {
  std::vector<Alarm> alarms;
  const std::string where = place(report.stage, report.epoch) + ": ";
  if (context.gaussian && report.sigma.noise_to_signal < 1e-3) {
    alarms.push_back(
        {AlarmKind::kSigmaCollapsed,
         where + "sigma has collapsed (noise to signal " +
             significant(report.sigma.noise_to_signal, 2) +
             "), so the passes are all alike: raise moped_delta or initial_rho, or raise "
             "kl_weight"});
  }
  if (context.gaussian && report.sigma.noise_to_signal > 10) {
    alarms.push_back({AlarmKind::kSigmaExploded,
                      where + "sigma has exploded (noise to signal " +
                          significant(report.sigma.noise_to_signal, 3) +
                          "), so the weights are mostly noise: lower moped_delta, initial_rho or "
                          "kl_weight"});
  }
  if (context.gaussian && !context.kl_is_mean && report.kl_share > 0.9) {
    alarms.push_back({AlarmKind::kKlDominates,
                      where + "KL is " + in_percent(report.kl_share, 0) +
                          "% of the loss, so the data hardly count: lower kl_weight, or use "
                          "kl_reduction = \"mean\""});
  }
  if (const std::optional<std::string> text = objective.alarm(report.terms)) {
    alarms.push_back({AlarmKind::kObjective, where + *text});
  }
  const std::optional<double>& accuracy = report.validation[Metric::kAccuracy];
  // Class weights can bring a network that tells the classes apart to the accuracy of one answer.
  if (report.epoch + 1 == context.chance_after_epochs && accuracy &&
      no_better_than_one_answer(report, context.classes) &&
      *accuracy <= context.commonest_share + 0.01) {
    alarms.push_back({AlarmKind::kAtChance,
                      where + "validation accuracy is " + in_percent(*accuracy) +
                          "%, what always answering the commonest class would give: change "
                          "learning_rate (a factor of 3 either way), and look whether the labels "
                          "belong to the images"});
  }
  const bool is_late =
      context.chance_after_epochs > 0 && report.epoch + 1 > context.chance_after_epochs;
  const bool was_better = context.epochs_of_one_answer <= report.epoch;
  if (is_late && was_better && context.epochs_of_one_answer >= 2) {
    alarms.push_back({AlarmKind::kFellToOneAnswer,
                      where + "for two epochs validation has been no better than one answer to all "
                              "images: lower learning_rate or set clip_norm, and lower beta if "
                              "CUB-Loss is part of the loss"});
  }
  return alarms;
}

std::string data_alarm(const SetFinding& finding) {
  if (finding.kind == SetFinding::Kind::kMissingClass) {
    return finding.text + ": split the data by class, or leave the class out";
  }
  if (!finding.is_leak) return finding.text + ": what was trained on is not an outlier";
  return finding.text +
         ": what is measured on one of them will look too good; split the data by group";
}

DataError data_leak(const SetFinding& finding) {
  return DataError(data_alarm(finding) + ", or set data.leaks = \"allow\" to train all the same");
}

}  // namespace cubcal
