#pragma once

#include <optional>
#include <vector>

#include "cubcal/plot/frame.h"
#include "cubcal/plot/legend.h"
#include "cubcal/plot/series.h"

namespace cubcal::plot {

/// A coarse raster of the places in a frame that are covered by data, to keep the legend off them.
class Occupancy {
 public:
  Occupancy(const Frame& frame, const std::vector<Element>& elements);

  /// Whether no data lie in the rectangle, given in pixels.
  bool is_free(Point corner, Size size) const;

  /// The upper left corner for a box of this size in a corner of the frame that is free, if any:
  /// upper right, upper left, lower right and lower left are tried in this order.
  std::optional<Point> free_corner(Size size, double margin) const;

 private:
  friend struct OccupancyMarker;

  void mark(Point at);
  void mark_line(const std::vector<Point>& points);
  void mark_area(const std::vector<Point>& outline);
  void mark_rectangle(Point a, Point b);

  Frame frame_;
  std::size_t columns_;
  std::size_t rows_;
  std::vector<char> taken_;
};

}  // namespace cubcal::plot
