#pragma once

#include <string>

#include "cubcal/results/record_grid.h"

/// The paper's two kinds of figures, from records of real runs.
namespace cubcal::results {

/// Whether the records of the main regime tell how uncertainty is spread over their answers.
bool has_paper_figures(const Grid& grid);

/// Density of U for right answers (solid) and wrong ones (dashed), every method on one axis
/// (variants apart), the answers of all its seeds together. As SVG.
std::string uncertainty_figure(const Grid& grid);

/// Mean U in bins of confidence against the boundary curve, of the paper's method where it was run,
/// without calibration and under ts-nll, ts-bcce and dts side by side; all seeds together. As SVG.
std::string boundary_figure(const Grid& grid);

}  // namespace cubcal::results
