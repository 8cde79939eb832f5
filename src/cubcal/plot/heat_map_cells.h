#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/plot/series.h"
#include "cubcal/plot/ticks.h"

namespace cubcal::plot {

/// The edges given, or -1/2, 1/2, 3/2, … which centre cell i at i.
std::vector<double> cell_edges(const std::vector<double>& edges, std::size_t cells);

/// The values of the darkest and the brightest colour, widened where all values are equal.
Range colour_range(const HeatMap& map);

}  // namespace cubcal::plot
