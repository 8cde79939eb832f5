#include "cubcal/monitor/monitor_charts.h"

#include <algorithm>
#include <cmath>

#include "cubcal/html/page_numbers.h"

namespace cubcal::report {

namespace {

/// A name as it fits below an axis.
std::string short_name(const std::string& name) {
  constexpr std::size_t kLongest = 12;
  if (name.size() <= kLongest) return plot::literal(name);
  std::size_t first = name.size() - kLongest + 1;  // ends of names tell periods apart
  while (first < name.size() && (static_cast<unsigned char>(name[first]) & 0xC0) == 0x80) ++first;
  return plot::literal("…" + name.substr(first));
}

/// Values at the reference (x = 0) and the periods (1, 2, ...), those that are known.
struct TimeLine {
  std::vector<double> x;
  std::vector<double> y;
  std::vector<double> low;
  std::vector<double> high;

  void add(std::size_t place, const std::optional<double>& value, double lower, double upper) {
    if (!value) return;
    x.push_back(static_cast<double>(place));
    y.push_back(*value);
    low.push_back(lower);
    high.push_back(upper);
  }
};

class TimeCharts {
 public:
  TimeCharts(const Monitoring& monitoring, Figures& figures)
      : monitoring_(monitoring), figures_(figures) {
    all_.push_back(&monitoring.reference);
    for (const PeriodSummary& period : monitoring.periods) all_.push_back(&period);
  }

  std::string html() {
    return figure_row(share_chart("Referral", "share referred", "referred",
                                  [](const PeriodSummary& each) { return each.referral; }) +
                      accuracy_chart() + uncertainty_chart() + class_chart() + outside_chart() +
                      p_chart());
  }

 private:
  plot::ChartOptions over_time(const char* title, const char* description,
                               const char* y_label) const {
    plot::ChartOptions options;
    options.title = title;
    options.description = description;
    options.y_label = y_label;
    options.width = 480;
    options.height = 330;
    options.legend = plot::LegendPlace::kBelow;
    options.x_min = -0.25;
    options.x_max = static_cast<double>(all_.size()) - 0.75;
    constexpr std::size_t kMostLabels = 6;
    const std::size_t step = (all_.size() + kMostLabels - 1) / kMostLabels;
    for (std::size_t i = 0; i < all_.size(); i += step) {
      options.x_ticks.values.push_back(static_cast<double>(i));
      options.x_ticks.labels.push_back(i == 0 ? "reference" : short_name(all_[i]->name));
    }
    return options;
  }

  static void add_points(plot::Chart& chart, const TimeLine& line, const std::string& name,
                         plot::Colour colour) {
    chart.scatter({name, line.x, line.y, colour, 3, 1, false});
  }

  template <class Share>
  std::string share_chart(const char* title, const char* y_label, const char* name, Share share) {
    TimeLine line;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const std::optional<CountedShare> own = share(*all_[i]);
      if (own) line.add(i, own->share(), own->low, own->high);
    }
    if (line.x.empty()) return {};
    plot::ChartOptions options =
        over_time(title, "The share in each period with its interval, and the reference.", y_label);
    options.y_min = 0;
    plot::Chart chart(options);
    chart.band({interval_name(), line.x, line.low, line.high, plot::Colour::kBlue});
    chart.line({name, line.x, line.y, plot::Colour::kBlue});
    add_points(chart, line, name, plot::Colour::kBlue);
    if (line.x.front() == 0) {
      plot::ReferenceLine reference;
      reference.direction = plot::Direction::kHorizontal;
      reference.value = line.y.front();
      reference.label = percent(line.y.front(), 0);
      chart.reference(reference);
    }
    return figures_.figure(chart,
                           "The dashed line is the reference. Intervals are exact for "
                           "single predictions (Clopper and Pearson).");
  }

  std::string interval_name() const { return percent(monitoring_.options.level, 0) + " interval"; }

  std::string accuracy_chart() {
    TimeLine expected;
    TimeLine actual;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const PeriodSummary& each = *all_[i];
      if (each.expected_interval) {
        expected.add(i, each.expected_accuracy, each.expected_interval->low,
                     each.expected_interval->high);
      }
      if (each.actual) actual.add(i, each.actual->share(), each.actual->low, each.actual->high);
    }
    plot::ChartOptions options =
        over_time("Expected accuracy", "Mean confidence with its interval, and actual accuracy.",
                  "share right");
    double lowest = 1;
    for (const double low : expected.low) lowest = std::min(lowest, low);
    for (const double value : actual.y) lowest = std::min(lowest, value);
    options.y_min = std::max(0.0, std::floor(20 * (lowest - 0.02)) / 20);
    options.y_max = 1;
    plot::Chart chart(options);
    chart.band(
        {"if confidence is honest", expected.x, expected.low, expected.high, plot::Colour::kGreen});
    chart.line({"expected", expected.x, expected.y, plot::Colour::kGreen});
    add_points(chart, expected, "expected", plot::Colour::kGreen);
    if (!actual.x.empty()) {
      plot::ScatterSeries points{"actual, by labels",       actual.x, actual.y,
                                 plot::Colour::kVermillion, 4,        1};
      chart.scatter(std::move(points));
    }
    return figures_.figure(
        chart,
        "Mean confidence: as many answers are right as it says only while the model is "
        "calibrated on these images. Under drift it may not be.");
  }

  std::string uncertainty_chart() {
    TimeLine line;
    for (std::size_t i = 0; i < all_.size(); ++i) {
      const PeriodSummary& each = *all_[i];
      if (!each.uncertainty_range) continue;
      line.add(i, each.median_uncertainty, each.uncertainty_range->low,
               each.uncertainty_range->high);
    }
    plot::ChartOptions options =
        over_time("Uncertainty", "Median U and the middle 80%.", "*U* (nats)");
    options.y_min = 0;
    plot::Chart chart(options);
    chart.band({"middle 80% of predictions", line.x, line.low, line.high, plot::Colour::kPurple});
    chart.line({"median", line.x, line.y, plot::Colour::kPurple});
    add_points(chart, line, "median", plot::Colour::kPurple);
    return figures_.figure(chart, "What a few images do shows in the upper end first.");
  }

  std::string class_chart() {
    plot::ChartOptions options =
        over_time("Answers by class", "The share of answers of each class.", "share of answers");
    options.y_min = 0;
    plot::Chart chart(options);
    constexpr std::size_t kMostClasses = 12;
    const std::size_t shown = std::min(kMostClasses, monitoring_.class_names.size());
    for (std::size_t k = 0; k < shown; ++k) {
      plot::LineSeries line;
      line.name = plot::literal(monitoring_.class_names[k]);
      line.stroke = k < plot::kColourCycle.size() ? plot::Stroke::kSolid : plot::Stroke::kDashed;
      for (std::size_t i = 0; i < all_.size(); ++i) {
        if (all_[i]->predictions == 0) continue;
        line.x.push_back(static_cast<double>(i));
        line.y.push_back(*all_[i]->classes[k].share());
      }
      chart.line(std::move(line));
    }
    return figures_.figure(chart, shown < monitoring_.class_names.size()
                                      ? "The first " + std::to_string(shown) + " classes."
                                      : "");
  }

  std::string outside_chart() {
    return share_chart("Out of scope", "share out of scope", "out of scope",
                       [](const PeriodSummary& each) { return each.outside; });
  }

  std::string p_chart() {
    plot::ChartOptions options =
        over_time("Tests", "The p-value of each test in each period, and where alarms begin.",
                  "log_{10} *p*");
    options.y_max = 0;
    const double bound = std::log10(monitoring_.alarm_bound);
    double lowest = bound;
    plot::Chart chart([&] {
      for (const PeriodSummary& period : monitoring_.periods) {
        for (const DriftResult& each : period.tests) lowest = std::min(lowest, std::log10(each.p));
      }
      options.y_min = std::floor(lowest - 0.25);
      return options;
    }());
    const std::vector<DriftTest> tests = possible_tests(monitoring_.class_names.size(), true);
    for (const DriftTest test : tests) {
      plot::LineSeries line;
      line.name = drift_test_title(test);
      for (std::size_t t = 0; t < monitoring_.periods.size(); ++t) {
        for (const DriftResult& each : monitoring_.periods[t].tests) {
          if (each.test != test) continue;
          line.x.push_back(static_cast<double>(t + 1));
          line.y.push_back(std::log10(each.p));
        }
      }
      if (line.x.empty()) continue;
      const plot::Colour colour = plot::kColourCycle[static_cast<std::size_t>(test)];
      line.colour = colour;
      chart.scatter({line.name, line.x, line.y, colour, 3, 1, false});
      chart.line(std::move(line));
    }
    plot::ReferenceLine alarm;
    alarm.direction = plot::Direction::kHorizontal;
    alarm.value = bound;
    alarm.label = "alarm";
    chart.reference(alarm);
    return figures_.figure(chart, "Below the dashed line is an alarm.");
  }

  const Monitoring& monitoring_;
  Figures& figures_;
  std::vector<const PeriodSummary*> all_;
};

}  // namespace

std::string monitor_charts(const Monitoring& monitoring, Figures& figures) {
  return TimeCharts(monitoring, figures).html();
}

}  // namespace cubcal::report
