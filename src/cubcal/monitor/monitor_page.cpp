#include "cubcal/monitor/monitor_page.h"

#include "cubcal/core/check.h"
#include "cubcal/html/html.h"
#include "cubcal/html/page_frame.h"
#include "cubcal/html/page_numbers.h"
#include "cubcal/monitor/monitor_charts.h"
#include "cubcal/version.h"

namespace cubcal::report {

namespace {

constexpr const char* kUnknown = "–";

std::string share_text(const std::optional<CountedShare>& share) {
  return share && share->of > 0 ? percent(*share->share()) : kUnknown;
}

std::string range_text(const std::optional<CountedShare>& share) {
  if (!share || share->of == 0) return kUnknown;
  return percent(share->low) + " to " + percent(share->high);
}

std::string p_text(double p) { return p < 0.001 ? significant(p, 2) : fixed(p, 3); }

/// "June: class rates (p = 0.0001), referral (p = 0.0002)".
std::string alarm_text(const Monitoring& monitoring, const PeriodSummary& period) {
  std::string text;
  for (const DriftResult& result : period.tests) {
    if (!monitoring.is_alarm(result)) continue;
    text += (text.empty() ? "" : ", ") + std::string(drift_test_title(result.test)) +
            " (p = " + p_text(result.p) + ")";
  }
  return text.empty() ? text : period.name + ": " + text;
}

std::string verdict(const Monitoring& monitoring) {
  std::string list;
  std::size_t periods = 0;
  for (const PeriodSummary& period : monitoring.periods) {
    const std::string text = alarm_text(monitoring, period);
    if (text.empty()) continue;
    list += element("li", escaped(text)) + "\n";
    ++periods;
  }
  std::string html =
      list.empty()
          ? paragraph(
                "No alarm: the predictions of no period differ from the reference by more "
                "than chance explains.")
          : paragraph(counted(monitoring.alarms(), "alarm") + " in " + counted(periods, "period") +
                      " of " + std::to_string(monitoring.periods.size()) +
                      ". The predictions differ from the reference by more than chance explains, "
                      "which does not say that they are wrong: look at what is new (patients, "
                      "sites, devices) and label some of these images.") +
                "<ul>" + list + "</ul>\n";
  const std::string warning = calibration_warning(monitoring);
  if (!warning.empty()) html += paragraph(warning);
  return "<section class=\"verdict\" aria-label=\"Alarms\">\n" + element("h2", "Alarms") + "\n" +
         html + "</section>\n";
}

std::string period_table(const Monitoring& monitoring) {
  const bool has_accepted = monitoring.has_accepted();
  const bool has_outside = monitoring.has_outside();
  std::vector<std::string> header{"period", "predictions", "patients"};
  if (has_accepted) header.insert(header.end(), {"accepted", "interval"});
  header.insert(header.end(), {"referred", "interval"});
  if (has_outside) header.insert(header.end(), {"out of scope", "interval"});
  header.insert(header.end(), {"expected accuracy", "interval", "actual accuracy", "labelled",
                               "median U (nats)"});
  Table table(header, "Every period beside the reference; intervals: " +
                          percent(monitoring.options.level, 0) + ", prediction by prediction.");
  const auto add = [&](const PeriodSummary& each, const std::string& name) {
    std::vector<std::string> cells{name, grouped(each.predictions),
                                   each.names_groups ? grouped(each.units) : kUnknown};
    if (has_accepted) {
      cells.insert(cells.end(), {share_text(each.accepted), range_text(each.accepted)});
    }
    cells.insert(cells.end(), {share_text(each.referral), range_text(each.referral)});
    if (has_outside) {
      cells.insert(cells.end(), {share_text(each.outside), range_text(each.outside)});
    }
    cells.insert(cells.end(),
                 {each.expected_accuracy ? percent(*each.expected_accuracy) : kUnknown,
                  each.expected_interval ? percent(each.expected_interval->low) + " to " +
                                               percent(each.expected_interval->high)
                                         : kUnknown,
                  share_text(each.actual), each.actual ? grouped(each.actual->of) : kUnknown,
                  each.median_uncertainty ? fixed(*each.median_uncertainty, 3) : kUnknown});
    table.add(cells);
  };
  add(monitoring.reference, "reference");
  for (const PeriodSummary& period : monitoring.periods) add(period, period.name);
  return table.html();
}

std::string test_table(const Monitoring& monitoring) {
  const std::vector<DriftTest> tests =
      possible_tests(monitoring.class_names.size(), monitoring.reference.outside.has_value());
  std::vector<std::string> header{"period"};
  for (const DriftTest test : tests) header.push_back(drift_test_title(test));
  Table table(header, "p-values against the reference; alarms, p at most " +
                          significant(monitoring.alarm_bound, 2) + ", are bold.");
  for (const PeriodSummary& period : monitoring.periods) {
    std::vector<std::string> cells{period.name};
    std::vector<std::size_t> alarms;
    for (const DriftTest test : tests) {
      std::string cell = kUnknown;
      for (const DriftResult& result : period.tests) {
        if (result.test != test) continue;
        cell = p_text(result.p);
        if (monitoring.is_alarm(result)) alarms.push_back(cells.size());
      }
      cells.push_back(cell);
    }
    table.add(cells, alarms);
  }
  return table.html();
}

std::string class_table(const Monitoring& monitoring) {
  std::vector<std::string> header{"period"};
  header.insert(header.end(), monitoring.class_names.begin(), monitoring.class_names.end());
  Table table(header, "Answers of each class.");
  const auto add = [&](const PeriodSummary& each, const std::string& name) {
    std::vector<std::string> cells{name};
    for (const CountedShare& share : each.classes) cells.push_back(share_text(share));
    table.add(cells);
  };
  add(monitoring.reference, "reference");
  for (const PeriodSummary& period : monitoring.periods) add(period, period.name);
  return table.html();
}

std::string method(const Monitoring& monitoring, const std::string& made_from) {
  const MonitorOptions& options = monitoring.options;
  return paragraph(made_from) +
         paragraph(
             "Tests: predictions of the reference and of a period are pooled and divided "
             "anew by chance, whole patients where both name them; p is the share of "
             "divisions that differ as much (at most " +
             grouped(options.drift.permutations) + ", seed " + std::to_string(options.drift.seed) +
             "). So the chance in the reference counts as well. Class rates: Pearson's "
             "chi-square; confidence and uncertainty: the Kolmogorov-Smirnov distance; "
             "referral and out of scope: difference of the shares.") +
         paragraph("Alarms: p at most " + to_text(options.alarm_rate) + " / (" +
                   std::to_string(monitoring.tests_per_period) + " tests × " +
                   counted(monitoring.corrected_periods, "period") +
                   ") = " + significant(monitoring.alarm_bound, 3) +
                   " (Bonferroni). Where nothing drifts, the chance of any alarm on this page is "
                   "at most " +
                   percent(options.alarm_rate, 0) + ".") +
         paragraph(
             "Expected accuracy is the mean confidence. It and its interval assume that each "
             "answer is right with the probability its confidence says, independent of the "
             "others: calibrated confidence, and images of which no two show one patient. "
             "Labels, where there are some, are shown beside it and used for nothing else. " +
             referral_rule(monitoring));
}

}  // namespace

std::string monitor_page(const Monitoring& monitoring, const std::string& title,
                         const std::string& made_from) {
  Figures figures;
  return page_start(title, counted(monitoring.periods.size(), "period") +
                               " against a reference of " +
                               counted(monitoring.reference.predictions, "prediction") +
                               ". Made by cubcal " + kVersion +
                               ", a research tool and not a medical device.") +
         verdict(monitoring) + section("Over time", monitor_charts(monitoring, figures)) +
         section("Periods", period_table(monitoring)) + section("Tests", test_table(monitoring)) +
         section("Classes", class_table(monitoring)) +
         section("How this was made", method(monitoring, made_from)) + page_end();
}

}  // namespace cubcal::report
