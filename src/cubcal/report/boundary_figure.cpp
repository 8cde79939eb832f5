#include "cubcal/report/boundary_figure.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "cubcal/boundary/curve.h"
#include "cubcal/plot/chart.h"
#include "cubcal/plot/svg.h"

namespace cubcal::report {

namespace {

using plot::Chart;
using plot::Colour;
using plot::Stroke;

constexpr const char* kUMin = "*U*_{min}";
constexpr const char* kUMax = "*U*_{max}";

struct Curve {
  std::vector<double> c;
  std::vector<double> u;
};

/// Confidences from `low` to `high`, both included, closer together near 1, where the bounds are
/// steep.
std::vector<double> confidences(double low, double high) {
  constexpr int kSteps = 240;
  std::vector<double> values;
  for (int i = 0; i <= kSteps; ++i) {
    const double rest = 1.0 - static_cast<double>(i) / kSteps;
    values.push_back(high - (high - low) * rest * rest);
  }
  values.front() = low;
  return values;
}

template <class Bound>
Curve curve_of(Bound bound, std::size_t classes, double low, double high) {
  Curve curve{confidences(low, high), {}};
  for (const double c : curve.c) curve.u.push_back(bound(c, classes));
  return curve;
}

std::string three_decimals(double value) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 3).ptr;
  return {buffer, end};
}

class BoundaryFigure {
 public:
  BoundaryFigure(std::size_t classes, double gamma, const Thresholds& thresholds)
      : classes_(classes),
        lowest_(1.0 / static_cast<double>(classes)),
        gamma_(gamma),
        thresholds_(thresholds) {}

  Chart boundary_curve(const std::string& title, Colour ideal) const {
    plot::ChartOptions options = axes(title);
    options.description =
        "Predictive entropy against confidence: the feasible band between its smallest and largest "
        "entropy, and the ideal curve, which follows the largest up to gamma and the smallest "
        "beyond.";
    Chart chart(options);
    draw_band(chart);
    if (classes_ > 2) {
      const Curve attainable = curve_of(u_min_attainable, classes_, lowest_, 0.5);
      chart.line({"attainable minimum", attainable.c, attainable.u, Colour::kMuted, Stroke::kDotted,
                  1.25});
    }
    chart.reference({plot::Direction::kVertical, gamma_,
                     "*\u03B3* = " + plot::readable_number(gamma_), Colour::kMuted, Stroke::kDotted,
                     1.0});
    draw_ideal_curve(chart, ideal);
    return chart;
  }

  Chart scaling_regions(const std::string& title) const {
    plot::ChartOptions options = axes(title);
    options.description =
        "The feasible band split by the thresholds: predictions of high confidence, or of middle "
        "confidence and low entropy, are sharpened, all others are softened.";
    Chart chart(options);
    draw_regions(chart);
    draw_threshold(chart, plot::Direction::kVertical, thresholds_.gamma_low, "*\u03B3*_{low}");
    draw_threshold(chart, plot::Direction::kVertical, thresholds_.gamma_high, "*\u03B3*_{high}");
    draw_threshold(chart, plot::Direction::kHorizontal, thresholds_.eta, "*\u03B7*");
    label_regions(chart);
    return chart;
  }

 private:
  plot::ChartOptions axes(const std::string& title) const {
    plot::ChartOptions options;
    options.title = title;
    options.x_label = "confidence *c*";
    options.y_label = "predictive entropy *U* (nats)";
    options.x_min = lowest_;
    options.x_max = 1.0;
    options.y_min = 0.0;
    options.y_max = std::log(static_cast<double>(classes_));
    options.width = 480;
    options.height = 400;
    options.legend = plot::LegendPlace::kBelow;
    return options;
  }

  void draw_band(Chart& chart) const {
    const Curve low = curve_of(u_min, classes_, lowest_, 1.0);
    const Curve high = curve_of(u_max, classes_, lowest_, 1.0);
    if (classes_ == 2) {
      chart.line(
          {std::string(kUMin) + " = " + kUMax, low.c, low.u, Colour::kSky, Stroke::kSolid, 1.0});
      return;
    }
    chart.band({"feasible", low.c, low.u, high.u, Colour::kSky, 0.3});
    chart.line({kUMax, high.c, high.u, Colour::kBlue, Stroke::kSolid, 1.0});
    chart.line({kUMin, low.c, low.u, Colour::kGreen, Stroke::kSolid, 1.0});
  }

  void draw_ideal_curve(Chart& chart, Colour colour) const {
    constexpr double kWidth = 3.0;
    const Curve before = curve_of(u_max, classes_, lowest_, gamma_);
    const Curve after = curve_of(u_min, classes_, gamma_, 1.0);
    chart.line({"*U*_{ideal}", before.c, before.u, colour, Stroke::kSolid, kWidth});
    chart.line({"*U*_{ideal}", after.c, after.u, colour, Stroke::kSolid, kWidth, false});
    chart.line({"jump of the ideal curve",
                {gamma_, gamma_},
                {before.u.back(), after.u.front()},
                colour,
                Stroke::kDashed,
                1.25,
                false});
  }

  /// Entropy that divides the band at confidence c: sharpen below, soften above.
  double divide(double c) const {
    if (c <= thresholds_.gamma_low) return u_min(c, classes_);
    if (c > thresholds_.gamma_high) return u_max(c, classes_);
    return std::clamp(thresholds_.eta, u_min(c, classes_), u_max(c, classes_));
  }

  void draw_regions(Chart& chart) const {
    const double gamma_low = std::clamp(thresholds_.gamma_low, lowest_, 1.0);
    const double gamma_high = std::clamp(thresholds_.gamma_high, lowest_, 1.0);
    const double past_low = std::nextafter(gamma_low, 2.0);
    const double past_high = std::nextafter(gamma_high, 2.0);
    const std::string soften = "soften with *T*_{low}";
    const std::string sharpen = "sharpen with *T*_{high}";
    std::vector<double> c = confidences(lowest_, gamma_low);
    if (past_low < gamma_high) {
      const std::vector<double> middle = confidences(past_low, gamma_high);
      c.insert(c.end(), middle.begin(), middle.end());
    }
    const std::size_t soften_end = c.size();
    if (past_high < 1.0) {
      const std::vector<double> last = confidences(past_high, 1.0);
      c.insert(c.end(), last.begin(), last.end());
    }
    std::vector<double> low;
    std::vector<double> middle;
    std::vector<double> high;
    for (const double value : c) {
      low.push_back(u_min(value, classes_));
      middle.push_back(divide(value));
      high.push_back(u_max(value, classes_));
    }
    if (classes_ == 2) {
      const auto split = static_cast<std::ptrdiff_t>(soften_end);
      chart.line({soften,
                  {c.begin(), c.begin() + split},
                  {low.begin(), low.begin() + split},
                  Colour::kOrange,
                  Stroke::kSolid,
                  4.0});
      if (soften_end < c.size()) {
        chart.line({sharpen,
                    {c.begin() + split, c.end()},
                    {low.begin() + split, low.end()},
                    Colour::kBlue,
                    Stroke::kSolid,
                    4.0});
      }
      return;
    }
    chart.band({soften, c, middle, high, Colour::kOrange, 0.4});
    chart.band({sharpen, c, low, middle, Colour::kBlue, 0.5});
    chart.line({kUMax, c, high, Colour::kMuted, Stroke::kSolid, 1.0, false});
    chart.line({kUMin, c, low, Colour::kMuted, Stroke::kSolid, 1.0, false});
  }

  void draw_threshold(Chart& chart, plot::Direction direction, double value,
                      const std::string& symbol) const {
    const double end =
        direction == plot::Direction::kVertical ? 1.0 : std::log(static_cast<double>(classes_));
    if (value > end) return;
    chart.reference({direction, value, symbol + " = " + three_decimals(value), Colour::kInk,
                     Stroke::kDashed, 1.0});
  }

  void label_regions(Chart& chart) const {
    const double top = std::log(static_cast<double>(classes_));
    // The band is widest about c = 1/2; for two classes it is a line, and the label stands below.
    const double c = std::min(0.5 * (lowest_ + 0.5) + 0.1, thresholds_.gamma_low);
    const double middle =
        0.5 * (u_min(std::max(c, lowest_), classes_) + u_max(std::max(c, lowest_), classes_));
    plot::Annotation soften;
    soften.text = "soften";
    soften.x = std::max(c, lowest_);
    soften.y = classes_ == 2 ? middle - 0.1 * top : middle - 0.02 * top;
    chart.annotate(soften);

    // The region is too thin for its label, which stands in the free corner beside the thresholds.
    const double from = std::clamp(thresholds_.gamma_low, lowest_, 1.0);
    const double range = 1.0 - lowest_;
    const bool right_of_thresholds = 1.0 - thresholds_.gamma_high > 0.2 * range;
    plot::Annotation sharpen;
    sharpen.text = "sharpen";
    sharpen.anchor = plot::Anchor::kEnd;
    sharpen.x = (right_of_thresholds ? 1.0 : from) - 0.03 * range;
    sharpen.y = 0.9 * top;
    const double target = 0.5 * (from + 1.0);
    sharpen.target_x = target;
    sharpen.target_y = 0.5 * (u_min(target, classes_) + divide(target));
    chart.annotate(sharpen);
  }

  std::size_t classes_;
  double lowest_;
  double gamma_;
  Thresholds thresholds_;
};

}  // namespace

plot::Chart boundary_curve_chart(std::size_t classes, double gamma, const std::string& title,
                                 plot::Colour ideal) {
  check_gamma(gamma, classes);
  return BoundaryFigure(classes, gamma, {}).boundary_curve(title, ideal);
}

plot::Chart scaling_region_chart(std::size_t classes, const Thresholds& thresholds,
                                 const std::string& title) {
  check_thresholds(thresholds);
  return BoundaryFigure(classes, kDefaultGamma, thresholds).scaling_regions(title);
}

std::string boundary_figure(std::size_t classes, double gamma, const Thresholds& thresholds) {
  const std::string suffix = " (*K* = " + std::to_string(classes) + ")";
  return plot::panels(
      {boundary_curve_chart(classes, gamma, "Confidence\u2013uncertainty boundary curve" + suffix),
       scaling_region_chart(classes, thresholds, "Scaling regions" + suffix)},
      2);
}

}  // namespace cubcal::report
