#include "cubcal/monitor.h"

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/monitor/monitoring.h"

namespace cubcal {

namespace {

void check_length(const WatchedAnswers& answers, const char* what, std::size_t length) {
  if (length > 0) check_same_size(what, length, "the answers", answers.predictive.samples);
}

Predictions predictions_watched(const WatchedAnswers& answers, std::size_t classes) {
  const Predictive& predictive = answers.predictive;
  if (predictive.classes != classes) {
    throw DataError("the answers of '" + answers.name + "' have " +
                    std::to_string(predictive.classes) + " classes, those of the reference " +
                    std::to_string(classes));
  }
  check_length(answers, "groups", answers.groups.size());
  check_length(answers, "flags of what is out of scope", answers.outside.size());
  check_length(answers, "labels", answers.labels.size());
  for (const std::int64_t label : answers.labels) {
    if (label >= static_cast<std::int64_t>(classes)) {
      throw DataError("label " + std::to_string(label) + " is none of the " +
                      std::to_string(classes) + " classes");
    }
  }
  Predictions predictions = predictions_of(answers.name, predictive);
  predictions.outside = answers.outside;
  predictions.labels = answers.labels;
  predictions.groups = answers.groups;
  return predictions;
}

WatchedPeriod watched_period(const Monitoring& monitoring, const PeriodSummary& summary) {
  WatchedPeriod period;
  period.name = summary.name;
  period.answers = summary.predictions;
  period.classes = summary.classes;
  period.referral = summary.referral;
  period.outside = summary.outside;
  period.expected_accuracy = summary.expected_accuracy;
  if (summary.expected_interval) {
    period.expected_low = summary.expected_interval->low;
    period.expected_high = summary.expected_interval->high;
  }
  period.actual = summary.actual;
  for (const DriftResult& each : summary.tests) {
    period.tests.push_back({drift_test_key(each.test), drift_test_title(each.test), each.statistic,
                            each.p, monitoring.is_alarm(each)});
  }
  return period;
}

}  // namespace

bool WatchedPeriod::is_alarm() const {
  return std::any_of(tests.begin(), tests.end(),
                     [](const DriftFinding& each) { return each.alarm; });
}

WatchResult watch(const WatchedAnswers& reference, const std::vector<WatchedAnswers>& periods,
                  const WatchOptions& options) {
  MonitorOptions monitoring;
  monitoring.drift.refer_above = options.refer_above;
  monitoring.drift.permutations = options.permutations;
  monitoring.drift.seed = options.seed;
  monitoring.alarm_rate = options.alarm_rate;
  monitoring.planned_periods = options.planned_periods;
  monitoring.level = options.confidence;
  const std::size_t classes = reference.predictive.classes;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < classes; ++k) names.push_back(std::to_string(k));
  std::vector<Predictions> watched;
  watched.reserve(periods.size());
  for (const WatchedAnswers& each : periods) watched.push_back(predictions_watched(each, classes));
  const Monitoring found =
      monitor(predictions_watched(reference, classes), watched, names, monitoring);
  WatchResult result;
  result.reference = watched_period(found, found.reference);
  for (const PeriodSummary& each : found.periods) {
    result.periods.push_back(watched_period(found, each));
  }
  result.alarm_bound = found.alarm_bound;
  result.warning = calibration_warning(found);
  return result;
}

}  // namespace cubcal
