#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/plot/series.h"
#include "cubcal/plot/ticks.h"

namespace cubcal::plot {

enum class LegendPlace {
  kAuto,   ///< in a corner of the axes that is free of data, else below
  kBelow,  ///< below the axes
  kRight,  ///< right of the axes
  kNone
};

struct ChartOptions {
  std::string title;            ///< markup, above the axes and as the title for screen readers
  std::string description;      ///< plain text for screen readers: what there is to see
  std::string x_label;          ///< markup
  std::string y_label;          ///< markup
  double width = 440;           ///< of the whole chart in pixels, at least 160
  double height = 340;          ///< of the whole chart in pixels, at least 120
  std::optional<double> x_min;  ///< ends of the axes; by default the data, widened to ticks
  std::optional<double> x_max;
  std::optional<double> y_min;
  std::optional<double> y_max;
  std::vector<std::string> x_categories;  ///< markup; category i stands at x = i instead of numbers
  std::vector<std::string> y_categories;  ///< markup; category i stands at y = i instead of numbers
  Ticks x_ticks;  ///< where there are any, instead of ticks chosen from the range
  Ticks y_ticks;
  bool y_downwards = false;  ///< smallest y at the top, as in a confusion matrix
  bool grid = true;
  LegendPlace legend = LegendPlace::kAuto;
};

/// A chart drawn as self-contained SVG: no script, no outside font, light and dark by the reader's
/// setting, the same bytes for the same input. Series are drawn in the order in which they are
/// added. Every adding function throws ArgumentError, naming the series, for values that are not
/// finite or lists whose lengths do not fit.
class Chart {
 public:
  explicit Chart(ChartOptions options = {});

  Chart& line(LineSeries series);
  Chart& band(BandSeries series);
  Chart& region(RegionSeries series);
  Chart& scatter(ScatterSeries series);
  Chart& density(const DensitySeries& series);
  Chart& bars(BarSeries series);
  Chart& reliability(ReliabilitySeries series);
  /// One heat map at most.
  Chart& heat_map(HeatMap map);
  Chart& reference(ReferenceLine line);
  Chart& annotate(Annotation annotation);

  const ChartOptions& options() const { return options_; }
  const std::vector<Element>& elements() const { return elements_; }

  std::string svg() const;

  /// For a page that holds style_sheet() once: the SVG without it, with ids that start with `id`
  /// and with the scales a script needs to read values back from the marks (attributes data-*).
  std::string page_svg(const std::string& id) const;

  /// For papers, slides and programs that draw: light colours only, every mark with its own, no
  /// style sheet, so that it looks the same wherever it is put.
  std::string paper_svg() const;

  /// The same chart in another width.
  Chart in_width(double width) const;

 private:
  Colour resolved(Colour colour);

  ChartOptions options_;
  std::vector<Element> elements_;
  std::size_t next_colour_ = 0;
};

/// The SVG of a chart or of panels with what its classes mean written into each element; see
/// Chart::paper_svg.
std::string without_style_sheet(const std::string& svg);

/// Several charts as one SVG, row after row with `columns` in each.
std::string panels(const std::vector<Chart>& charts, std::size_t columns);

}  // namespace cubcal::plot
