#pragma once

#include <cstddef>
#include <string>

/// Charts as PDF: lines stay lines and letters letters, with their fonts in the file, so that
/// printers and publishers take it.
namespace cubcal::pdf {

struct ChartPdf {
  std::string bytes;
  std::size_t missing = 0;  ///< characters the fonts do not have, each drawn as an empty box
};

/// One page as large as the chart, at 96 pixels to the inch, of what Chart::paper_svg gives. The
/// same input gives the same bytes. Throws ArgumentError for SVG that the plot room does not write.
ChartPdf chart_pdf(const std::string& paper_svg);

}  // namespace cubcal::pdf
