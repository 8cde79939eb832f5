#include "cubcal/benefit/benefit_chart.h"

#include <algorithm>

#include "cubcal/plot/chart.h"

namespace cubcal {

namespace {

struct StrategyLook {
  plot::Colour colour;
  plot::Stroke stroke;
};

StrategyLook look_of(Strategy strategy) {
  switch (strategy) {
    case Strategy::kPolicy: return {plot::Colour::kBlue, plot::Stroke::kSolid};
    case Strategy::kAnswerAll: return {plot::Colour::kVermillion, plot::Stroke::kSolid};
    case Strategy::kTreatAll: return {plot::Colour::kMuted, plot::Stroke::kDashed};
    case Strategy::kTreatNone: return {plot::Colour::kMuted, plot::Stroke::kDotted};
    default: return {plot::Colour::kGreen, plot::Stroke::kDashed};
  }
}

/// What the axis has to show: the model's ways, and the better of treating all and none.
struct ValueRange {
  double low;
  double high;
};

ValueRange range_of(const BenefitCurve& curve) {
  const bool is_cost = curve.options.prices.are_stated();
  ValueRange range{0, 0};
  const auto include = [&](double value) {
    range.low = std::min(range.low, value);
    range.high = std::max(range.high, value);
  };
  for (std::size_t p = 0; p < curve.points.size(); ++p) {
    const BenefitPoint& point = curve.points[p];
    const double all = point.value(Strategy::kTreatAll);
    const double none = point.value(Strategy::kTreatNone);
    include(is_cost ? std::min(all, none) : std::max(all, none));
    include(point.value(curve.subject()));
    include(point.value(Strategy::kAnswerAll));
    if (curve.intervals.empty()) continue;
    const auto& band = curve.intervals[p].values[static_cast<std::size_t>(curve.subject())];
    if (!band) continue;
    include(band->low);
    include(band->high);
  }
  const double room = 0.1 * (range.high - range.low);
  return {is_cost ? 0 : range.low - room, range.high + room};
}

void add_band(plot::Chart& chart, const BenefitCurve& curve, const std::vector<double>& x) {
  plot::BandSeries band;
  const auto subject = static_cast<std::size_t>(curve.subject());
  band.name = std::string(strategy_label(curve.subject()).label) + ", interval";
  for (std::size_t p = 0; p < x.size(); ++p) {
    const std::optional<Interval>& interval = curve.intervals[p].values[subject];
    if (!interval) return;
    band.x.push_back(x[p]);
    band.low.push_back(interval->low);
    band.high.push_back(interval->high);
  }
  band.colour = look_of(curve.subject()).colour;
  chart.band(band);
}

}  // namespace

plot::Chart benefit_curve_chart(const BenefitCurve& curve, double width) {
  const bool is_cost = curve.options.prices.are_stated();
  const ValueRange range = range_of(curve);
  plot::ChartOptions options;
  options.title = is_cost ? "Expected cost" : "Decision curve";
  options.description = "What each way of dealing with patients is worth, by threshold.";
  options.x_label = "threshold probability";
  options.y_label = is_cost ? "cost of 1000 patients" : "net benefit: diseases found per patient";
  options.width = width;
  options.height = 400;
  options.y_min = range.low;
  options.y_max = range.high > range.low ? range.high : range.low + 1;
  options.legend = plot::LegendPlace::kBelow;
  plot::Chart chart(options);
  const std::vector<double>& x = curve.options.thresholds;
  if (!curve.intervals.empty()) add_band(chart, curve, x);
  for (auto strategy = curve.strategies.rbegin(); strategy != curve.strategies.rend(); ++strategy) {
    plot::LineSeries line;
    line.name = strategy_label(*strategy).label;
    line.x = x;
    for (const BenefitPoint& point : curve.points) line.y.push_back(point.value(*strategy));
    line.colour = look_of(*strategy).colour;
    line.stroke = look_of(*strategy).stroke;
    chart.line(line);
  }
  return chart;
}

std::string benefit_chart(const BenefitCurve& curve) { return benefit_curve_chart(curve).svg(); }

}  // namespace cubcal
