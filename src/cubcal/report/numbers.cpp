#include "cubcal/report/numbers.h"

#include <algorithm>
#include <cmath>

namespace cubcal::report {

namespace {

constexpr const char* kDash = "–";

int decimals_of(const MetricInfo& info) {
  switch (info.unit) {
    case MetricUnit::kPercent: return 2;
    case MetricUnit::kCount: return 0;
    default: return 3;
  }
}

std::string signed_text(double value, int decimals) {
  const std::string text = fixed(value, decimals);
  return value > 0 && text.find_first_of("123456789") != std::string::npos ? "+" + text : text;
}

}  // namespace

std::string percent_range(const Interval& interval) {
  return percent(interval.low) + " to " + percent(interval.high);
}

const MetricInfo& info_of(Metric metric) {
  return metric_infos()[static_cast<std::size_t>(metric)];
}

MetricInfo info_of_label(const MetricLabel& label) {
  return {Metric::kAccuracy, label.key, label.label, label.unit, label.better};
}

double scale_of(const MetricInfo& info) { return info.unit == MetricUnit::kPercent ? 100 : 1; }

std::string metric_text(const MetricInfo& info, const std::optional<double>& value) {
  return value ? fixed(scale_of(info) * *value, decimals_of(info)) : kDash;
}

std::string difference_text(const MetricInfo& info, const std::optional<double>& value) {
  return value ? signed_text(scale_of(info) * *value, decimals_of(info)) : kDash;
}

std::string interval_text(const MetricInfo& info, const std::optional<Interval>& interval) {
  if (!interval) return kDash;
  return fixed(scale_of(info) * interval->low, decimals_of(info)) + " to " +
         fixed(scale_of(info) * interval->high, decimals_of(info));
}

std::optional<Spread> spread_of(const std::vector<std::optional<double>>& values) {
  Spread spread;
  for (const std::optional<double>& value : values) {
    if (!value) continue;
    spread.mean += *value;
    ++spread.values;
  }
  if (spread.values == 0) return std::nullopt;
  const auto count = static_cast<double>(spread.values);
  spread.mean /= count;
  for (const std::optional<double>& value : values) {
    if (value) spread.deviation += (*value - spread.mean) * (*value - spread.mean);
  }
  spread.deviation = spread.values > 1 ? std::sqrt(spread.deviation / (count - 1)) : 0;
  return spread;
}

std::string spread_text(const MetricInfo& info, const std::optional<Spread>& spread) {
  if (!spread) return kDash;
  const std::string mean = metric_text(info, spread->mean);
  return spread->values == 1 ? mean : mean + " ± " + metric_text(info, spread->deviation);
}

Interval wilson_interval(double hits, double trials) {
  constexpr double z = 1.959963984540054;
  const double share = hits / trials;
  const double centre = share + z * z / (2 * trials);
  const double half = z * std::sqrt(share * (1 - share) / trials + z * z / (4 * trials * trials));
  const double divisor = 1 + z * z / trials;
  return {std::max(0.0, (centre - half) / divisor), std::min(1.0, (centre + half) / divisor), 0};
}

}  // namespace cubcal::report
