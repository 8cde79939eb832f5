#pragma once

#include <cstddef>
#include <string>

#include "cubcal/boundary/thresholds.h"
#include "cubcal/plot/chart.h"

/// The paper's two figures of the boundary.
namespace cubcal::report {

/// The boundary curve in its feasible band, with the jump at gamma. More can be drawn over it.
plot::Chart boundary_curve_chart(std::size_t classes, double gamma, const std::string& title,
                                 plot::Colour ideal = plot::Colour::kVermillion);

/// The two scaling regions that the thresholds cut out of the band.
plot::Chart scaling_region_chart(std::size_t classes, const Thresholds& thresholds,
                                 const std::string& title);

/// Both side by side as SVG.
std::string boundary_figure(std::size_t classes, double gamma, const Thresholds& thresholds);

}  // namespace cubcal::report
