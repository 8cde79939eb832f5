#include "number_text.h"

#include <cmath>

namespace cubcal::app {

namespace {

constexpr const char* kDash = "–";

double shown(MetricUnit unit, double value) {
  return unit == MetricUnit::kPercent ? 100.0 * value : value;
}

int decimals(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kPercent: return 2;
    case MetricUnit::kCount: return 0;
    default: return 4;
  }
}

std::string number(MetricUnit unit, double value) {
  return fixed(shown(unit, value), decimals(unit));
}

}  // namespace

std::string metric_text(MetricUnit unit, const std::optional<double>& value) {
  return value ? number(unit, *value) : kDash;
}

std::string difference_text(MetricUnit unit, const std::optional<double>& value) {
  if (!value) return kDash;
  const std::string text = number(unit, *value);
  return (*value > 0 && text.find_first_not_of("0.") != std::string::npos ? "+" : "") + text;
}

std::string interval_text(MetricUnit unit, const std::optional<Interval>& interval) {
  if (!interval) return kDash;
  return "[" + number(unit, interval->low) + ", " + number(unit, interval->high) + "]";
}

const char* unit_text(MetricUnit unit) {
  switch (unit) {
    case MetricUnit::kPercent: return "%";
    case MetricUnit::kNats: return "nats";
    default: return "";
  }
}

std::string metric_heading(const MetricInfo& info) {
  return metric_heading(MetricLabel{info.key, info.label, info.unit});
}

std::string metric_heading(const MetricLabel& label) {
  const std::string unit = unit_text(label.unit);
  return std::string(label.label) + (unit.empty() ? "" : " (" + unit + ")");
}

}  // namespace cubcal::app
