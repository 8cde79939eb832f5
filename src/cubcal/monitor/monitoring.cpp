#include "cubcal/monitor/monitoring.h"

#include <algorithm>
#include <numeric>

#include "cubcal/core/check.h"
#include "cubcal/core/counted.h"
#include "cubcal/metrics/max_t.h"
#include "cubcal/metrics/poisson_binomial.h"

namespace cubcal {

namespace {

void add_expected(PeriodSummary& summary, const Predictions& predictions, double level) {
  const auto count = static_cast<double>(predictions.size());
  summary.expected_accuracy =
      std::accumulate(predictions.confidence.begin(), predictions.confidence.end(), 0.0) / count;
  const CountRange range = poisson_binomial_range(predictions.confidence, level);
  summary.expected_interval =
      Interval{static_cast<double>(range.low) / count, static_cast<double>(range.high) / count, 0};
}

void add_actual(PeriodSummary& summary, const Predictions& predictions, double level) {
  std::size_t labelled = 0;
  std::size_t right = 0;
  for (std::size_t i = 0; i < predictions.labels.size(); ++i) {
    if (predictions.labels[i] < 0) continue;
    ++labelled;
    right += predictions.labels[i] == static_cast<std::int64_t>(predictions.predicted[i]) ? 1 : 0;
  }
  if (labelled > 0) summary.actual = counted_share(right, labelled, level);
}

void add_decisions(PeriodSummary& summary, const Predictions& predictions,
                   const MonitorOptions& options) {
  std::size_t referred = 0;
  std::size_t accepted = 0;
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    referred += predictions.is_referred(i, options.drift.refer_above) ? 1 : 0;
  }
  for (const std::optional<Decision>& verdict : predictions.verdicts) {
    summary.decided += verdict ? 1 : 0;
    accepted += verdict == Decision::kAccept ? 1 : 0;
  }
  summary.referral = counted_share(referred, predictions.size(), options.level);
  if (predictions.all_decided()) {
    summary.accepted = counted_share(accepted, predictions.size(), options.level);
  }
}

/// Whether it is so of the reference or of any period.
template <class Property>
bool any_of_all(const Monitoring& monitoring, Property is) {
  return is(monitoring.reference) ||
         std::any_of(monitoring.periods.begin(), monitoring.periods.end(), is);
}

PeriodSummary summary_of(const Predictions& predictions, std::size_t classes,
                         const MonitorOptions& options) {
  PeriodSummary summary;
  summary.name = predictions.name;
  summary.predictions = predictions.size();
  summary.names_groups = !predictions.groups.empty();
  summary.units = resampling_units(predictions.size(), predictions.groups, "predictions").count;
  std::vector<std::size_t> answers(classes, 0);
  for (const std::uint32_t k : predictions.predicted) ++answers[k];
  for (const std::size_t count : answers) {
    summary.classes.push_back(counted_share(count, predictions.size(), options.level));
  }
  add_decisions(summary, predictions, options);
  if (!predictions.outside.empty()) {
    const auto flagged =
        std::count(predictions.outside.begin(), predictions.outside.end(), std::uint8_t{1});
    summary.outside =
        counted_share(static_cast<std::size_t>(flagged), predictions.size(), options.level);
  }
  if (predictions.size() == 0) return summary;
  add_expected(summary, predictions, options.level);
  add_actual(summary, predictions, options.level);
  constexpr double kMiddle = 0.8;
  summary.uncertainty_range = percentile_interval(predictions.uncertainty, kMiddle);
  summary.median_uncertainty = percentile_interval(predictions.uncertainty, 0).low;
  return summary;
}

void check_predictions(const Predictions& predictions, std::size_t classes) {
  const std::size_t size = predictions.size();
  check_same_size("confidences", predictions.confidence.size(), "answers", size);
  check_same_size("uncertainties", predictions.uncertainty.size(), "answers", size);
  if (!predictions.verdicts.empty()) {
    check_same_size("verdicts", predictions.verdicts.size(), "answers", size);
  }
  for (const std::uint32_t k : predictions.predicted) {
    if (k < classes) continue;
    throw DataError("'" + predictions.name + "' has an answer of class " + std::to_string(k) +
                    ", but there are " + std::to_string(classes) + " classes");
  }
}

/// Throws ArgumentError where the smallest p-value there can be is not an alarm.
void check_permutations(const Monitoring& result) {
  const std::size_t needed = fewest_permutations(result.alarm_bound);
  if (result.options.drift.permutations >= needed) return;
  throw ArgumentError("an alarm needs p at or below " + significant(result.alarm_bound, 3) + " (" +
                      counted(result.tests_per_period, "test") + " in " +
                      counted(result.corrected_periods, "period") + "), which " +
                      std::to_string(result.options.drift.permutations) +
                      " permutations cannot give: the option 'permutations' must be at least " +
                      std::to_string(needed));
}

}  // namespace

std::size_t Monitoring::alarms() const {
  std::size_t count = 0;
  for (const PeriodSummary& period : periods) {
    for (const DriftResult& result : period.tests) count += is_alarm(result) ? 1 : 0;
  }
  return count;
}

bool Monitoring::has_outside() const {
  return any_of_all(*this, [](const PeriodSummary& each) { return each.outside.has_value(); });
}

bool Monitoring::has_accepted() const {
  return any_of_all(*this, [](const PeriodSummary& each) { return each.accepted.has_value(); });
}

void check_monitor_options(const MonitorOptions& options) {
  check_in_open("the alarm rate", options.alarm_rate, 0, 1);
  check_in_open("the interval level", options.level, 0, 1);
  check_at_least("the number of permutations", static_cast<double>(options.drift.permutations), 1);
  check_at_least("the uncertainty above which is referred", options.drift.refer_above, 0);
}

Monitoring monitor(const Predictions& reference, const std::vector<Predictions>& periods,
                   const std::vector<std::string>& class_names, const MonitorOptions& options) {
  check_monitor_options(options);
  const std::size_t classes = class_names.size();
  if (reference.size() == 0) {
    throw DataError("the reference '" + reference.name + "' has no predictions");
  }
  if (options.planned_periods > 0 && options.planned_periods < periods.size()) {
    throw ArgumentError("the option 'periods' plans " + std::to_string(options.planned_periods) +
                        ", but " + std::to_string(periods.size()) + " are given");
  }
  check_predictions(reference, classes);
  Monitoring result;
  result.options = options;
  result.class_names = class_names;
  result.reference = summary_of(reference, classes, options);
  result.tests_per_period = possible_tests(classes, !reference.outside.empty()).size();
  result.corrected_periods = std::max(options.planned_periods, periods.size());
  result.alarm_bound =
      options.alarm_rate / static_cast<double>(result.tests_per_period *
                                               std::max<std::size_t>(1, result.corrected_periods));
  check_permutations(result);
  for (std::size_t t = 0; t < periods.size(); ++t) {
    check_predictions(periods[t], classes);
    PeriodSummary summary = summary_of(periods[t], classes, options);
    summary.by_group =
        options.drift.by_group && !reference.groups.empty() && !periods[t].groups.empty();
    if (summary.predictions > 0) {
      summary.tests = drift_tests(reference, periods[t], classes, options.drift, t);
    }
    result.periods.push_back(std::move(summary));
  }
  return result;
}

std::string referral_rule(const Monitoring& monitoring) {
  const std::string threshold =
      "U above " + to_text(monitoring.options.drift.refer_above) + " nats";
  const bool any_verdict =
      any_of_all(monitoring, [](const PeriodSummary& each) { return each.decided > 0; });
  if (!any_verdict) return "Referred: " + threshold + ".";
  const bool any_without = any_of_all(
      monitoring, [](const PeriodSummary& each) { return each.decided < each.predictions; });
  if (!any_without) return "Accepted, referred and out of scope: the verdicts of the logs.";
  std::string with;
  const auto add = [&](const PeriodSummary& each, const std::string& name) {
    if (each.decided == 0) return;
    with += (with.empty() ? "" : ", ") + name;
    if (each.decided < each.predictions) with += " in part";
  };
  add(monitoring.reference, "the reference");
  for (const PeriodSummary& each : monitoring.periods) add(each, each.name);
  return "Referred: the verdicts of the logs where they hold some (" + with + "), " + threshold +
         " elsewhere, so that these shares cannot be compared; the test of referral takes " +
         threshold + " on both sides unless both hold verdicts for all predictions.";
}

std::string calibration_warning(const Monitoring& monitoring) {
  const PeriodSummary& reference = monitoring.reference;
  if (!reference.actual) return {};
  const double actual = *reference.actual->share();
  if (actual >= reference.expected_interval->low && actual <= reference.expected_interval->high) {
    return {};
  }
  return "The confidence is not calibrated even on the reference: it promises " +
         in_percent(*reference.expected_accuracy) + "% right and " + in_percent(actual) +
         "% are; expected accuracies are off by as much. Calibrate first.";
}

}  // namespace cubcal
