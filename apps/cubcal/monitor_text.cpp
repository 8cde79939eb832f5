#include "monitor_text.h"

#include "cubcal/core/check.h"
#include "cubcal/core/counted.h"
#include "cubcal/io/csv.h"
#include "number_text.h"
#include "table_output.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

std::string counted_text(const CountedShare& share) {
  return metric_text(MetricUnit::kPercent, share.share());
}

std::string counted_interval(const CountedShare& share) {
  if (share.of == 0) return "–";
  return interval_text(MetricUnit::kPercent, Interval{share.low, share.high, share.of});
}

std::string drift_p_text(double p) { return p < 0.001 ? significant(p, 2) : fixed(p, 4); }

void print_periods(std::ostream& out, const Monitoring& monitoring) {
  const std::string interval = significant(100 * monitoring.options.level, 6) + "% interval";
  std::vector<std::string> header{"", "predictions"};
  const bool has_accepted = monitoring.has_accepted();
  const bool has_outside = monitoring.has_outside();
  if (has_accepted) header.insert(header.end(), {"accepted %", interval});
  header.insert(header.end(), {"referred %", interval});
  if (has_outside) header.insert(header.end(), {"out of scope %", interval});
  header.insert(header.end(),
                {"expected accuracy %", interval, "actual %", "labelled", "median U"});
  TextTable table(header);
  const auto add = [&](const PeriodSummary& each, const std::string& name) {
    std::vector<std::string> row{name, std::to_string(each.predictions)};
    const auto add_share = [&](const std::optional<CountedShare>& share) {
      row.push_back(share ? counted_text(*share) : "–");
      row.push_back(share ? counted_interval(*share) : "–");
    };
    if (has_accepted) add_share(each.accepted);
    add_share(each.referral);
    if (has_outside) add_share(each.outside);
    row.insert(row.end(), {metric_text(MetricUnit::kPercent, each.expected_accuracy),
                           interval_text(MetricUnit::kPercent, each.expected_interval),
                           each.actual ? counted_text(*each.actual) : "–",
                           each.actual ? std::to_string(each.actual->of) : "–",
                           metric_text(MetricUnit::kNats, each.median_uncertainty)});
    table.add(row);
  };
  add(monitoring.reference, "reference");
  for (const PeriodSummary& period : monitoring.periods) add(period, period.name);
  out << '\n' << table;
}

void print_classes_over_time(std::ostream& out, const Monitoring& monitoring) {
  constexpr std::size_t kMostColumns = 10;
  const std::size_t shown = std::min(kMostColumns, monitoring.class_names.size());
  std::vector<std::string> header{"answers %"};
  header.insert(header.end(), monitoring.class_names.begin(),
                monitoring.class_names.begin() + static_cast<std::ptrdiff_t>(shown));
  TextTable table(header);
  const auto add = [&](const PeriodSummary& each, const std::string& name) {
    std::vector<std::string> row{name};
    for (std::size_t k = 0; k < shown; ++k) row.push_back(counted_text(each.classes[k]));
    table.add(row);
  };
  add(monitoring.reference, "reference");
  for (const PeriodSummary& period : monitoring.periods) add(period, period.name);
  out << '\n' << table;
  if (shown < monitoring.class_names.size()) {
    out << "  … and " << monitoring.class_names.size() - shown
        << " more classes (all of them with --json)\n";
  }
}

void print_tests(std::ostream& out, const Monitoring& monitoring) {
  const std::vector<DriftTest> tests =
      possible_tests(monitoring.class_names.size(), monitoring.reference.outside.has_value());
  std::vector<std::string> header{"p against the reference"};
  for (const DriftTest test : tests) header.push_back(drift_test_title(test));
  header.push_back("");
  TextTable table(header);
  for (const PeriodSummary& period : monitoring.periods) {
    std::vector<std::string> row{period.name};
    bool is_alarm = false;
    for (const DriftTest test : tests) {
      std::string cell = "–";
      for (const DriftResult& result : period.tests) {
        if (result.test != test) continue;
        cell = drift_p_text(result.p) + (monitoring.is_alarm(result) ? "*" : " ");
        is_alarm = is_alarm || monitoring.is_alarm(result);
      }
      row.push_back(cell);
    }
    row.push_back(is_alarm ? "ALARM" : period.predictions == 0 ? "no predictions" : "");
    table.add(row);
  }
  out << '\n' << table;
}

void print_monitor_method(std::ostream& out, const Monitoring& monitoring) {
  const MonitorOptions& options = monitoring.options;
  std::size_t by_patient = 0;
  for (const PeriodSummary& period : monitoring.periods) by_patient += period.by_group ? 1 : 0;
  out << "\n* alarm: p at most " << to_text(options.alarm_rate) << " / ("
      << counted(monitoring.tests_per_period, "test") << " × "
      << counted(monitoring.corrected_periods, "period")
      << ") = " << significant(monitoring.alarm_bound, 3)
      << " (Bonferroni); where nothing drifts, the chance of any is at most "
      << significant(100 * options.alarm_rate, 6)
      << "%.\nTests: reference and period pooled and divided "
      << "anew, " << (by_patient == monitoring.periods.size() ? "patient" : "prediction") << " by "
      << (by_patient == monitoring.periods.size() ? "patient" : "prediction")
      << (by_patient > 0 && by_patient < monitoring.periods.size()
              ? " (by patient where both name them)"
              : "")
      << ", at most " << options.drift.permutations << " times, seed " << options.drift.seed
      << ".\nExpected accuracy: mean confidence; it holds if confidence is calibrated on these "
         "images and answers are independent.\n"
      << referral_rule(monitoring) << '\n';
  const std::string warning = calibration_warning(monitoring);
  if (!warning.empty()) out << warning << '\n';
}

}  // namespace

void print_monitoring(std::ostream& out, const Monitoring& monitoring) {
  print_periods(out, monitoring);
  print_classes_over_time(out, monitoring);
  print_tests(out, monitoring);
  print_monitor_method(out, monitoring);
}

std::string monitoring_csv(const Monitoring& monitoring) {
  std::string text =
      csv_row({"period", "predictions", "what", "value", "low", "high", "p", "alarm"});
  const auto add_period = [&](const PeriodSummary& each, const std::string& name) {
    const auto add = [&](const std::string& what, const std::optional<double>& value,
                         const std::optional<Interval>& interval) {
      std::vector<std::string> row{no_formula(name), std::to_string(each.predictions),
                                   no_formula(what), exact_text(value)};
      for (std::string& end : exact_interval(interval)) row.push_back(std::move(end));
      row.insert(row.end(), {"", ""});
      text += csv_row(row);
    };
    const auto add_share = [&](const std::string& what, const CountedShare& share) {
      add(what, share.share(),
          share.of > 0 ? std::optional<Interval>({share.low, share.high, 0}) : std::nullopt);
    };
    if (each.accepted) add_share("accepted", *each.accepted);
    add_share("referral", each.referral);
    if (each.outside) add_share("out_of_scope", *each.outside);
    add("expected_accuracy", each.expected_accuracy, each.expected_interval);
    if (each.actual) add_share("actual_accuracy", *each.actual);
    add("median_uncertainty", each.median_uncertainty, std::nullopt);
    for (std::size_t k = 0; k < each.classes.size(); ++k) {
      add_share("class " + monitoring.class_names[k], each.classes[k]);
    }
    for (const DriftResult& result : each.tests) {
      text +=
          csv_row({no_formula(name), std::to_string(each.predictions),
                   std::string("test ") + drift_test_key(result.test), to_text(result.statistic),
                   "", "", to_text(result.p), monitoring.is_alarm(result) ? "yes" : "no"});
    }
  };
  add_period(monitoring.reference, "reference");
  for (const PeriodSummary& period : monitoring.periods) add_period(period, period.name);
  return text;
}

}  // namespace cubcal::app
