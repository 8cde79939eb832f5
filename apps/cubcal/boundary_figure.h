#pragma once

#include <cstddef>
#include <string>

#include "cubcal/boundary/thresholds.h"

namespace cubcal {

/// The paper's two figures of the boundary side by side as SVG: the boundary curve in its feasible
/// band with the jump at gamma, and the two scaling regions that the thresholds cut out of the
/// band.
std::string boundary_figure(std::size_t classes, double gamma, const Thresholds& thresholds);

}  // namespace cubcal
