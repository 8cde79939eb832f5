#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "cubcal/plot/density.h"
#include "cubcal/plot/palette.h"
#include "cubcal/plot/text.h"

/// What a chart can show. Names and labels are markup (see text.h); a name stands in the legend,
/// in the tooltip and in error messages.
namespace cubcal::plot {

enum class Stroke { kSolid, kDashed, kDotted };

/// A polyline through (x[i], y[i]).
struct LineSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  Colour colour = Colour::kAuto;
  Stroke stroke = Stroke::kSolid;
  double width = 1.75;    ///< in pixels
  bool in_legend = true;  ///< false keeps the name for tooltip and errors only
};

/// The area between low[i] and high[i] over x[i].
struct BandSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> low;
  std::vector<double> high;
  Colour colour = Colour::kAuto;
  double opacity = 0.25;
  bool in_legend = true;
};

/// A filled polygon with the corners (x[i], y[i]).
struct RegionSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  Colour colour = Colour::kAuto;
  double opacity = 0.25;
  bool in_legend = true;
};

/// One disc per (x[i], y[i]); points outside the axes are left out.
struct ScatterSeries {
  std::string name;
  std::vector<double> x;
  std::vector<double> y;
  Colour colour = Colour::kAuto;
  double radius = 1.8;   ///< in pixels
  double opacity = 0.5;  ///< crowded places look darker
  bool in_legend = true;
  /// What each point is, plain text without line ends; shown under the pointer on a page. May be
  /// empty.
  std::vector<std::string> notes = {};
};

/// The density of the values (see density.h) as a tinted curve.
struct DensitySeries {
  std::string name;
  std::vector<double> values;
  DensityOptions options;
  Colour colour = Colour::kAuto;
  Stroke stroke = Stroke::kSolid;
  bool in_legend = true;
};

/// Rectangles from (left[i], base) to (right[i], top[i]).
struct BarSeries {
  std::string name;
  std::vector<double> left;
  std::vector<double> right;
  std::vector<double> top;
  double base = 0;
  Colour colour = Colour::kAuto;
  double opacity = 0.8;
  bool in_legend = true;
};

/// Reliability bars: per bin a bar as high as `observed` (for example the accuracy) and a frame
/// from there to `expected` (for example the mean confidence), which is the gap a calibrated model
/// closes. Bins with count 0 are left out.
struct ReliabilitySeries {
  std::string name;           ///< of the bars, for example "accuracy"
  std::string gap_name;       ///< of the frames, for example "gap to confidence"
  std::vector<double> edges;  ///< one more than there are bins, rising
  std::vector<double> observed;
  std::vector<double> expected;
  std::vector<std::size_t> count;
  Colour colour = Colour::kBlue;
  Colour gap_colour = Colour::kVermillion;
  bool in_legend = true;
};

/// A grid of coloured cells with a colour bar: the cell of row r and column k spans x_edges[k] to
/// x_edges[k+1] and y_edges[r] to y_edges[r+1].
struct HeatMap {
  std::string name;  ///< the label of the colour bar
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::vector<double> values;   ///< row after row
  std::vector<double> x_edges;  ///< rising; empty: column k is centred at k
  std::vector<double> y_edges;  ///< rising; empty: row r is centred at r
  std::optional<double> low;    ///< value of the darkest colour; by default the smallest
  std::optional<double> high;   ///< value of the brightest colour; by default the largest
  bool show_values = false;     ///< write the value into each cell
  /// Written instead of the values, plain text, row after row; empty: the values.
  std::vector<std::string> cell_texts = {};
  /// The tooltip of each cell, plain text, row after row; empty: the value alone.
  std::vector<std::string> cell_notes = {};
};

enum class Direction { kVertical, kHorizontal };

/// A straight line across the chart at x = value (vertical) or y = value (horizontal), with its
/// label outside the axes, moved aside where labels would overlap.
struct ReferenceLine {
  Direction direction = Direction::kVertical;
  double value = 0;
  std::string label;
  Colour colour = Colour::kMuted;
  Stroke stroke = Stroke::kDashed;
  double width = 1.0;
};

/// A text at (x, y) in the coordinates of the data, with an optional thin line to what it is about.
struct Annotation {
  double x = 0;
  double y = 0;
  std::string text;
  Anchor anchor = Anchor::kMiddle;
  Colour colour = Colour::kInk;
  std::optional<double> target_x;  ///< set with target_y: where the thin line ends
  std::optional<double> target_y;
};

using Element = std::variant<LineSeries, BandSeries, RegionSeries, ScatterSeries, BarSeries,
                             ReliabilitySeries, HeatMap, ReferenceLine, Annotation>;

}  // namespace cubcal::plot
