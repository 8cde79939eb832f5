#pragma once

#include <string>

#include "cubcal/plot/chart.h"

namespace cubcal::plot {

/// The chart as SVG elements with its upper left corner at the origin, without the surrounding
/// document and style sheet. With a `page_id` ids start with it and the marks carry their scales,
/// see Chart::page_svg.
std::string draw(const Chart& chart, const std::string& page_id = {});

}  // namespace cubcal::plot
