#pragma once

#include <optional>
#include <string>

#include "cubcal/core/check.h"
#include "cubcal/metrics/bootstrap.h"

namespace cubcal::app {

/// A metric's value as tables print it: percentages with two decimals, counts whole, the rest with
/// four decimals, a dash where it is undefined.
std::string metric_text(MetricUnit unit, const std::optional<double>& value);

/// A difference of two values: the same with its sign, in points for percentages.
std::string difference_text(MetricUnit unit, const std::optional<double>& value);

/// "[86.1, 87.9]", or a dash.
std::string interval_text(MetricUnit unit, const std::optional<Interval>& interval);

/// "%", "nats" or nothing.
const char* unit_text(MetricUnit unit);
/// "ECE (%)": the label of a metric with its unit, where it has one.
std::string metric_heading(const MetricInfo& info);
std::string metric_heading(const MetricLabel& label);

}  // namespace cubcal::app
