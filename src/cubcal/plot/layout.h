#pragma once

#include <optional>
#include <vector>

#include "cubcal/plot/chart.h"
#include "cubcal/plot/frame.h"
#include "cubcal/plot/legend.h"

namespace cubcal::plot {

inline constexpr double kTickSize = 10.5;  ///< font sizes in pixels
inline constexpr double kLabelSize = 12;
inline constexpr double kTitleSize = 13.5;
inline constexpr double kRemarkSize = 11;
inline constexpr double kTitleLine = 18;  ///< height of a line of the title
inline constexpr double kColourBarWidth = 12;
inline constexpr double kLegendPadding = 6;  ///< around a legend inside the axes
inline constexpr double kSlant = 38;         ///< degrees of category labels that are too wide

/// The label of a reference line outside the axes.
struct ReferenceLabel {
  const ReferenceLine* line;
  double line_at;   ///< pixel at which the line meets the edge of the frame
  double label_at;  ///< pixel of the middle of the label, moved aside from its neighbours
};

struct LegendBox {
  Point corner;
  double row_width;  ///< 0: one entry a row
  Size size;
  bool inside;
};

/// Where everything in a chart stands. It refers to the elements it was made from.
struct Layout {
  Frame frame;
  std::vector<TextLine> title;
  Ticks x_ticks;
  Ticks y_ticks;
  bool slanted_x_labels = false;
  double x_label_y = 0;  ///< baseline of the label of the x axis
  double y_label_x = 0;  ///< baseline of the turned label of the y axis
  std::vector<ReferenceLabel> top_labels;
  std::vector<ReferenceLabel> right_labels;
  double colour_bar_left = 0;
  std::vector<LegendEntry> legend_entries;
  std::optional<LegendBox> legend;
};

Layout lay_out(const ChartOptions& options, const std::vector<Element>& elements);

/// Moves labels of the given sizes from where they would like to be just so far that neighbours do
/// not overlap and all stay within [low, high], as far as there is room.
std::vector<double> spread_apart(const std::vector<double>& wanted,
                                 const std::vector<double>& sizes, double low, double high);

}  // namespace cubcal::plot
