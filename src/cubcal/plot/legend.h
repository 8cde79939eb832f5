#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cubcal/plot/series.h"
#include "cubcal/plot/svg.h"

namespace cubcal::plot {

enum class LegendKey { kLine, kArea, kDisc, kFrame };

struct LegendEntry {
  std::string name;
  LegendKey key;
  Colour colour;
  Stroke stroke = Stroke::kSolid;
  double width = 1.75;
  double opacity = 1;
};

struct Size {
  double width;
  double height;
};

/// One entry per series that has a name and wants to be in the legend, in the order of drawing.
std::vector<LegendEntry> legend_entries(const std::vector<Element>& elements);

/// A legend whose entries stand side by side in rows no wider than `width`; a width of 0 puts each
/// into a row of its own.
Size legend_size(const std::vector<LegendEntry>& entries, double width);
std::string draw_legend(const std::vector<LegendEntry>& entries, Point corner, double width);

/// The value of stroke-dasharray as an attribute with a leading space, empty for a solid line.
std::string dash_attribute(Stroke stroke, double width);

}  // namespace cubcal::plot
