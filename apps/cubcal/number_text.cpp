#include "number_text.h"

#include <cmath>

namespace cubcal::app {

namespace {

constexpr const char* kDash = "–";

double shown(const MetricInfo& info, double value) {
  return info.unit == MetricUnit::kPercent ? 100.0 * value : value;
}

int decimals(const MetricInfo& info) {
  switch (info.unit) {
    case MetricUnit::kPercent: return 2;
    case MetricUnit::kCount: return 0;
    default: return 4;
  }
}

std::string number(const MetricInfo& info, double value) {
  return fixed(shown(info, value), decimals(info));
}

}  // namespace

std::string metric_text(const MetricInfo& info, const std::optional<double>& value) {
  return value ? number(info, *value) : kDash;
}

std::string difference_text(const MetricInfo& info, const std::optional<double>& value) {
  if (!value) return kDash;
  const std::string text = number(info, *value);
  return (*value > 0 && text.find_first_not_of("0.") != std::string::npos ? "+" : "") + text;
}

std::string interval_text(const MetricInfo& info, const std::optional<Interval>& interval) {
  if (!interval) return kDash;
  return "[" + number(info, interval->low) + ", " + number(info, interval->high) + "]";
}

const char* unit_text(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kPercent: return "%";
    case MetricUnit::kNats: return "nats";
    default: return "";
  }
}

std::string metric_heading(const MetricInfo& info) {
  const std::string unit = unit_text(info.unit);
  return std::string(info.label) + (unit.empty() ? "" : " (" + unit + ")");
}

}  // namespace cubcal::app
