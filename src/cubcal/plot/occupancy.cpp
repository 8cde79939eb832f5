#include "cubcal/plot/occupancy.h"

#include <algorithm>
#include <cmath>

#include "cubcal/plot/heat_map_cells.h"

namespace cubcal::plot {

namespace {

constexpr double kCell = 4;  // pixels

bool inside(const std::vector<Point>& outline, Point at) {
  bool is_inside = false;
  for (std::size_t i = 0, j = outline.size() - 1; i < outline.size(); j = i++) {
    const Point& a = outline[i];
    const Point& b = outline[j];
    if ((a.y > at.y) != (b.y > at.y) && at.x < a.x + (at.y - a.y) / (b.y - a.y) * (b.x - a.x)) {
      is_inside = !is_inside;
    }
  }
  return is_inside;
}

}  // namespace

struct OccupancyMarker {
  Occupancy& raster;

  void operator()(const LineSeries& s) const { raster.mark_line(raster.frame_.path(s.x, s.y)); }
  void operator()(const BandSeries& s) const {
    raster.mark_area(raster.frame_.outline(s.x, s.low, s.high));
  }
  void operator()(const RegionSeries& s) const { raster.mark_area(raster.frame_.path(s.x, s.y)); }
  void operator()(const ScatterSeries& s) const {
    for (std::size_t i = 0; i < s.x.size(); ++i) raster.mark(raster.frame_.at(s.x[i], s.y[i]));
  }
  void operator()(const BarSeries& s) const {
    for (std::size_t i = 0; i < s.left.size(); ++i) {
      raster.mark_rectangle(raster.frame_.at(s.left[i], s.base),
                            raster.frame_.at(s.right[i], s.top[i]));
    }
  }
  void operator()(const ReliabilitySeries& s) const {
    for (std::size_t i = 0; i < s.count.size(); ++i) {
      if (s.count[i] == 0) continue;
      raster.mark_rectangle(
          raster.frame_.at(s.edges[i], 0),
          raster.frame_.at(s.edges[i + 1], std::max(s.observed[i], s.expected[i])));
    }
  }
  void operator()(const HeatMap& map) const {
    const std::vector<double> x = cell_edges(map.x_edges, map.columns);
    const std::vector<double> y = cell_edges(map.y_edges, map.rows);
    raster.mark_rectangle(raster.frame_.at(x.front(), y.front()),
                          raster.frame_.at(x.back(), y.back()));
  }
  void operator()(const ReferenceLine& line) const {
    const Frame& frame = raster.frame_;
    const bool vertical = line.direction == Direction::kVertical;
    const double at = vertical ? frame.x(line.value) : frame.y(line.value);
    raster.mark_line(vertical ? std::vector<Point>{{at, frame.top}, {at, frame.bottom}}
                              : std::vector<Point>{{frame.left, at}, {frame.right, at}});
  }
  void operator()(const Annotation& annotation) const {
    const Frame& frame = raster.frame_;
    const Point at = frame.at(annotation.x, annotation.y);
    const double width = text_width(annotation.text, 11);
    const double left = annotation.anchor == Anchor::kStart    ? at.x
                        : annotation.anchor == Anchor::kMiddle ? at.x - width / 2
                                                               : at.x - width;
    raster.mark_rectangle({left, at.y - 10}, {left + width, at.y + 4});
    if (annotation.target_x && annotation.target_y) {
      raster.mark_line({at, frame.at(*annotation.target_x, *annotation.target_y)});
    }
  }
};

Occupancy::Occupancy(const Frame& frame, const std::vector<Element>& elements)
    : frame_(frame),
      columns_(static_cast<std::size_t>(std::ceil(frame.width() / kCell))),
      rows_(static_cast<std::size_t>(std::ceil(frame.height() / kCell))),
      taken_(columns_ * rows_, 0) {
  for (const Element& element : elements) std::visit(OccupancyMarker{*this}, element);
}

void Occupancy::mark(Point at) {
  if (!(at.x >= frame_.left && at.x < frame_.right && at.y >= frame_.top && at.y < frame_.bottom)) {
    return;
  }
  const auto column = static_cast<std::size_t>((at.x - frame_.left) / kCell);
  const auto row = static_cast<std::size_t>((at.y - frame_.top) / kCell);
  taken_[std::min(row, rows_ - 1) * columns_ + std::min(column, columns_ - 1)] = 1;
}

void Occupancy::mark_line(const std::vector<Point>& points) {
  for (std::size_t i = 0; i + 1 < points.size(); ++i) {
    const Point a = points[i];
    const Point b = points[i + 1];
    const double length = std::max(std::abs(b.x - a.x), std::abs(b.y - a.y));
    const int steps = 1 + static_cast<int>(std::min(length / (0.5 * kCell), 1e4));
    for (int step = 0; step <= steps; ++step) {
      const double share = static_cast<double>(step) / steps;
      mark({a.x + share * (b.x - a.x), a.y + share * (b.y - a.y)});
    }
  }
}

void Occupancy::mark_area(const std::vector<Point>& outline) {
  mark_line(outline);
  for (std::size_t row = 0; row < rows_; ++row) {
    for (std::size_t column = 0; column < columns_; ++column) {
      const Point centre{frame_.left + (static_cast<double>(column) + 0.5) * kCell,
                         frame_.top + (static_cast<double>(row) + 0.5) * kCell};
      if (inside(outline, centre)) mark(centre);
    }
  }
}

void Occupancy::mark_rectangle(Point a, Point b) { mark_area({a, {b.x, a.y}, b, {a.x, b.y}, a}); }

bool Occupancy::is_free(Point corner, Size size) const {
  for (double y = corner.y; y < corner.y + size.height + kCell; y += kCell) {
    for (double x = corner.x; x < corner.x + size.width + kCell; x += kCell) {
      const double inner_x = std::min({x, corner.x + size.width, frame_.right - 1e-6});
      const double inner_y = std::min({y, corner.y + size.height, frame_.bottom - 1e-6});
      if (inner_x < frame_.left || inner_y < frame_.top) return false;
      const auto column = static_cast<std::size_t>((inner_x - frame_.left) / kCell);
      const auto row = static_cast<std::size_t>((inner_y - frame_.top) / kCell);
      if (taken_[row * columns_ + column]) return false;
    }
  }
  return true;
}

std::optional<Point> Occupancy::free_corner(Size size, double margin) const {
  const double left = frame_.left + margin;
  const double top = frame_.top + margin;
  const double right = frame_.right - margin - size.width;
  const double bottom = frame_.bottom - margin - size.height;
  if (right < left || bottom < top) return std::nullopt;
  for (const Point corner :
       {Point{right, top}, Point{left, top}, Point{right, bottom}, Point{left, bottom}}) {
    if (is_free(corner, size)) return corner;
  }
  return std::nullopt;
}

}  // namespace cubcal::plot
