#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/html/page_numbers.h"
#include "cubcal/metrics/metric_values.h"
#include "cubcal/metrics/resampling.h"

/// Numbers as the page writes them: a true minus sign, thousands apart, a dash for what is
/// undefined.
namespace cubcal::report {

/// "81.9% to 86.4%".
std::string percent_range(const Interval& interval);

/// 100 for metrics shown as percentages, else 1.
double scale_of(const MetricInfo& info);

const MetricInfo& info_of(Metric metric);
/// What the functions below need to know of a label that is of none of those metrics.
MetricInfo info_of_label(const MetricLabel& label);
/// A metric in the unit that tables give it in: percentages with two decimals and no sign, counts
/// whole, the rest with three decimals.
std::string metric_text(const MetricInfo& info, const std::optional<double>& value);
/// The same of a difference, with its sign.
std::string difference_text(const MetricInfo& info, const std::optional<double>& value);
/// "81.9 to 86.4".
std::string interval_text(const MetricInfo& info, const std::optional<Interval>& interval);

struct Spread {
  double mean = 0;
  double deviation = 0;  ///< of a sample (n - 1)
  std::size_t values = 0;
};

/// Over the values that are defined; none where none is.
std::optional<Spread> spread_of(const std::vector<std::optional<double>>& values);
/// "84.21 ± 0.43", or the value alone where there is one.
std::string spread_text(const MetricInfo& info, const std::optional<Spread>& spread);

/// An interval for a share of `hits` among `trials` (Wilson 1927) at 95%.
Interval wilson_interval(double hits, double trials);

}  // namespace cubcal::report
