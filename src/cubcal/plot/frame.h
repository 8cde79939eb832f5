#pragma once

#include <vector>

#include "cubcal/plot/svg.h"
#include "cubcal/plot/ticks.h"

namespace cubcal::plot {

/// Maps data values to pixels along one axis.
struct Scale {
  Range data;
  double pixel_low;   ///< where data.low lies
  double pixel_high;  ///< where data.high lies

  double operator()(double value) const {
    // Halves keep the difference of far ends finite.
    const double share = (0.5 * value - 0.5 * data.low) / (0.5 * data.high - 0.5 * data.low);
    return pixel_low + share * (pixel_high - pixel_low);
  }
};

/// The rectangle between the axes and the scales that fill it.
struct Frame {
  double left;
  double top;
  double right;
  double bottom;
  Scale x;
  Scale y;

  double width() const { return right - left; }
  double height() const { return bottom - top; }
  Point at(double x_value, double y_value) const { return {x(x_value), y(y_value)}; }
  std::vector<Point> path(const std::vector<double>& xs, const std::vector<double>& ys) const {
    std::vector<Point> points;
    points.reserve(xs.size());
    for (std::size_t i = 0; i < xs.size(); ++i) points.push_back(at(xs[i], ys[i]));
    return thinned(points);
  }
  /// The closed outline of the area between two curves over the same x.
  std::vector<Point> outline(const std::vector<double>& xs, const std::vector<double>& low,
                             const std::vector<double>& high) const {
    std::vector<Point> points = path(xs, high);
    const std::vector<Point> back = path(xs, low);
    points.insert(points.end(), back.rbegin(), back.rend());
    return points;
  }
};

}  // namespace cubcal::plot
