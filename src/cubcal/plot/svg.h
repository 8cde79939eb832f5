#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The alphabet of an SVG file: numbers, escaped text and path data. Everything here gives the same
/// bytes for the same input, whatever the locale.
namespace cubcal::plot {

struct Point {
  double x;
  double y;
};

/// A coordinate or length with at most two decimals, no trailing zeros and no "-0". Values beyond
/// ten million are moved onto that limit: no viewer draws them.
std::string svg_number(double value);

/// A data value for a reader, to four significant digits, such as "0.9214" or "2.5e-07".
std::string readable_number(double value);

/// Text made safe for element content and for attributes in double quotes. Bytes that are no UTF-8
/// and characters that XML forbids become U+FFFD.
std::string escape_xml(std::string_view text);

/// A title element, which viewers show when the pointer rests on its parent; empty for no text.
std::string tooltip(std::string_view text);

/// A rect element with two opposite corners; `attributes` start with a space.
std::string rectangle(const std::string& attributes, Point a, Point b, std::string_view title = {});

/// A name for ids that depends on the content alone, so that several charts can share one page.
std::string content_id(std::string_view content);

/// The d attribute of a path, written with relative moves between rounded coordinates, so that long
/// series stay short and rounding errors do not add up.
class PathData {
 public:
  /// `per_unit` is the number of steps a unit is divided into: 100 or 10.
  explicit PathData(int per_unit = 100) : per_unit_(per_unit) {}

  void move_to(Point to);
  void line_to(Point to);
  void close();
  /// A mark of no length, which a round line cap shows as a disc.
  void dot(Point at);
  const std::string& text() const { return text_; }

 private:
  void write_step(char command, Point to);

  int per_unit_;
  std::int64_t x_ = 0;
  std::int64_t y_ = 0;
  std::int64_t start_x_ = 0;
  std::int64_t start_y_ = 0;
  std::string text_;
};

/// The points without those that lie closer than a fifth of a unit to the last one kept; the first
/// and the last always stay.
std::vector<Point> thinned(const std::vector<Point>& points);

}  // namespace cubcal::plot
