#pragma once

#include <string>

#include "cubcal/plot/chart.h"

namespace cubcal::plot {

/// The chart as SVG elements with its upper left corner at the origin, without the surrounding
/// document and style sheet.
std::string draw(const Chart& chart);

}  // namespace cubcal::plot
