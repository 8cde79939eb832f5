#pragma once

#include <string>

#include "cubcal/plot/frame.h"
#include "cubcal/plot/series.h"

namespace cubcal::plot {

/// The marks of one element inside the frame; empty for an annotation, which is drawn over the
/// axes. On a page lines and points say what they are (attributes data-line, data-notes).
std::string draw_marks(const Element& element, const Frame& frame, bool on_page = false);

/// The scale of colours of a heat map, as high as the frame.
std::string draw_colour_bar(const HeatMap& map, const Frame& frame, double left);

}  // namespace cubcal::plot
