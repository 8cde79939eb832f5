#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/metrics/counted_share.h"
#include "cubcal/metrics/resampling.h"
#include "cubcal/monitor/drift_tests.h"
#include "cubcal/monitor/predictions.h"

/// A model in use, watched without labels: rates, expected accuracy and drift, period by period.
namespace cubcal {

struct MonitorOptions {
  DriftOptions drift;
  double alarm_rate = 0.05;         ///< chance of any alarm in all periods where nothing drifts
  std::size_t planned_periods = 0;  ///< to correct for; 0: as many as there are
  double level = 0.95;              ///< of the intervals
};

/// What one period, or the reference, shows.
struct PeriodSummary {
  std::string name;
  std::size_t predictions = 0;
  bool names_groups = false;
  std::size_t units = 0;                    ///< patients, or predictions where none are named
  std::vector<CountedShare> classes;        ///< answers of each class
  std::size_t decided = 0;                  ///< predictions that came with a verdict
  std::optional<CountedShare> accepted;     ///< by verdicts, where all predictions have one
  CountedShare referral;                    ///< by verdicts, U above the threshold for the others
  std::optional<CountedShare> outside;      ///< where there are flags
  std::optional<double> expected_accuracy;  ///< mean confidence; none of no predictions
  /// In which the accuracy on these very predictions lies with the probability `level`, were each
  /// right with the probability that its confidence says and independent of the others
  /// (poisson_binomial.h).
  std::optional<Interval> expected_interval;
  std::optional<CountedShare> actual;  ///< right ones of those with a label
  std::optional<double> median_uncertainty;
  std::optional<Interval> uncertainty_range;  ///< from which to which U the middle 80% lie
  bool by_group = false;                      ///< patients were kept together in the tests
  std::vector<DriftResult> tests;             ///< none of the reference and of no predictions
};

struct Monitoring {
  MonitorOptions options;
  std::vector<std::string> class_names;
  PeriodSummary reference;
  std::vector<PeriodSummary> periods;
  std::size_t tests_per_period = 0;
  std::size_t corrected_periods = 0;
  /// An alarm is p at or below: the alarm rate divided by all tests of all periods (Bonferroni), so
  /// that the chance of any false one is at most that rate, however the tests depend on each other;
  /// they share a reference. With the number of periods planned beforehand an alarm once given
  /// stays when further periods come.
  double alarm_bound = 0;

  bool is_alarm(const DriftResult& result) const { return result.p <= alarm_bound; }
  bool has_outside() const;   ///< flags of the reference or of a period
  bool has_accepted() const;  ///< the same of verdicts
  std::size_t alarms() const;
};

/// Throws ArgumentError where a field is outside its domain.
void check_monitor_options(const MonitorOptions& options);

/// Periods in the order of time. Throws DataError where the reference has no predictions, and
/// ArgumentError where more periods are given than planned, or so few permutations are allowed that
/// no p-value could be an alarm.
Monitoring monitor(const Predictions& reference, const std::vector<Predictions>& periods,
                   const std::vector<std::string>& class_names, const MonitorOptions& options);

/// A sentence on what counts as referred in the shares and in the tests.
std::string referral_rule(const Monitoring& monitoring);

/// A sentence, where the reference has labels and its accuracy lies outside the interval that its
/// confidence promises: then expected accuracies are not to be believed.
std::string calibration_warning(const Monitoring& monitoring);

}  // namespace cubcal
