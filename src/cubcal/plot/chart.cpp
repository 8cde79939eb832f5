#include "cubcal/plot/chart.h"

#include <algorithm>
#include <utility>

#include "cubcal/core/check.h"
#include "cubcal/plot/drawing.h"
#include "cubcal/plot/palette.h"
#include "cubcal/plot/series_checks.h"
#include "cubcal/plot/svg.h"

namespace cubcal::plot {

namespace {

constexpr std::string_view kPlotClass = "cubcal-plot";

void check_limits(const char* axis, const std::optional<double>& low,
                  const std::optional<double>& high) {
  const std::string name = std::string("an end of the ") + axis + " axis";
  if (low) check_finite(name.c_str(), *low);
  if (high) check_finite(name.c_str(), *high);
  if (low && high && !(*low < *high)) {
    throw ArgumentError(std::string("the ends of the ") + axis + " axis must be rising, not " +
                        to_text(*low) + " and " + to_text(*high));
  }
}

/// Ticks that a caller gives: a label for each, all finite.
void check_ticks(const char* axis, const Ticks& ticks) {
  const std::string name = std::string("ticks of the ") + axis + " axis";
  check_same_size(("labels of " + name).c_str(), ticks.labels.size(), name.c_str(),
                  ticks.values.size());
  for (const double value : ticks.values) check_finite(name.c_str(), value);
}

/// A chart on a page has its id from there, and the page has the style sheet.
std::string document(double width, double height, const std::string& title,
                     const std::string& description, const std::string& body,
                     const std::string& page_id = {}) {
  const std::string id = page_id.empty() ? content_id(title + body) : page_id;
  const std::string style = page_id.empty() ? "<style>\n" + style_sheet() + "</style>\n" : "";
  std::string svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"" + std::string(kPlotClass) +
                    "\" viewBox=\"0 0 " + svg_number(width) + " " + svg_number(height) +
                    "\" width=\"" + svg_number(width) + "\" height=\"" + svg_number(height) +
                    "\" role=\"img\" aria-labelledby=\"" + id + "-title";
  if (!description.empty()) svg += " " + id + "-desc";
  svg += "\">\n<title id=\"" + id + "-title\">" + escape_xml(title) + "</title>\n";
  if (!description.empty()) {
    svg += "<desc id=\"" + id + "-desc\">" + escape_xml(description) + "</desc>\n";
  }
  return svg + style + "<rect class=\"cp-paper\" width=\"" + svg_number(width) + "\" height=\"" +
         svg_number(height) + "\"/>\n" + body + "</svg>\n";
}

std::string spoken_title(const Chart& chart) {
  const std::string title = plain_text(chart.options().title);
  return title.empty() ? "Chart" : title;
}

void append_sentence(std::string& text, const std::string& sentence) {
  if (!text.empty() && !sentence.empty()) text += "; ";
  text += sentence;
}

}  // namespace

Chart::Chart(ChartOptions options) : options_(std::move(options)) {
  check_in_closed("the width of a chart", options_.width, 160, 10000);
  check_in_closed("the height of a chart", options_.height, 120, 10000);
  check_limits("x", options_.x_min, options_.x_max);
  check_limits("y", options_.y_min, options_.y_max);
  check_ticks("x", options_.x_ticks);
  check_ticks("y", options_.y_ticks);
}

Colour Chart::resolved(Colour colour) {
  return colour == Colour::kAuto ? kColourCycle[next_colour_++ % kColourCycle.size()] : colour;
}

Chart& Chart::line(LineSeries series) {
  check(series);
  series.colour = resolved(series.colour);
  elements_.emplace_back(std::move(series));
  return *this;
}

Chart& Chart::band(BandSeries series) {
  check(series);
  series.colour = resolved(series.colour);
  elements_.emplace_back(std::move(series));
  return *this;
}

Chart& Chart::region(RegionSeries series) {
  check(series);
  series.colour = resolved(series.colour);
  elements_.emplace_back(std::move(series));
  return *this;
}

Chart& Chart::scatter(ScatterSeries series) {
  check(series);
  series.colour = resolved(series.colour);
  elements_.emplace_back(std::move(series));
  return *this;
}

Chart& Chart::density(const DensitySeries& series) {
  check(series);
  const Colour colour = resolved(series.colour);
  const Density estimate = estimate_density(series.values, series.options);
  band({series.name, estimate.x, std::vector<double>(estimate.x.size(), 0.0), estimate.y, colour,
        0.15, false});
  return line({series.name, estimate.x, estimate.y, colour, series.stroke, 1.75, series.in_legend});
}

Chart& Chart::bars(BarSeries series) {
  check(series);
  series.colour = resolved(series.colour);
  elements_.emplace_back(std::move(series));
  return *this;
}

Chart& Chart::reliability(ReliabilitySeries series) {
  check(series);
  series.colour = resolved(series.colour);
  series.gap_colour = resolved(series.gap_colour);
  elements_.emplace_back(std::move(series));
  return *this;
}

Chart& Chart::heat_map(HeatMap map) {
  check(map);
  for (const Element& element : elements_) {
    if (std::holds_alternative<HeatMap>(element)) {
      throw ArgumentError("a chart holds one heat map, so \"" + plain_text(map.name) +
                          "\" needs a chart of its own");
    }
  }
  elements_.emplace_back(std::move(map));
  return *this;
}

Chart& Chart::reference(ReferenceLine line) {
  check(line);
  line.colour = resolved(line.colour);
  elements_.emplace_back(std::move(line));
  return *this;
}

Chart& Chart::annotate(Annotation annotation) {
  check(annotation);
  annotation.colour = resolved(annotation.colour);
  elements_.emplace_back(std::move(annotation));
  return *this;
}

std::string Chart::svg() const {
  return document(options_.width, options_.height, spoken_title(*this), options_.description,
                  draw(*this));
}

std::string Chart::page_svg(const std::string& id) const {
  return document(options_.width, options_.height, spoken_title(*this), options_.description,
                  draw(*this, id), id);
}

std::string Chart::paper_svg() const { return without_style_sheet(svg()); }

Chart Chart::in_width(double width) const {
  Chart other = *this;
  check_in_closed("the width of a chart", width, 160, 10000);
  other.options_.width = width;
  return other;
}

std::string without_style_sheet(const std::string& svg) {
  constexpr std::string_view kClass = " class=\"";
  constexpr std::string_view kStyleStart = "<style>";
  constexpr std::string_view kStyleEnd = "</style>\n";
  std::string text = svg;
  const std::size_t style = text.find(kStyleStart);
  if (style != std::string::npos) {
    text.erase(style, text.find(kStyleEnd, style) + kStyleEnd.size() - style);
  }
  std::string result;
  std::size_t from = 0;
  // Quotes in texts are escaped, so that this is always an attribute.
  for (std::size_t at = text.find(kClass); at != std::string::npos; at = text.find(kClass, from)) {
    const std::size_t first = at + kClass.size();
    const std::size_t last = text.find('"', first);
    const std::string classes = text.substr(first, last - first);
    result += text.substr(from, at - from);
    result += classes == kPlotClass ? " font-family=\"" + std::string(kPaperFontFamilies) + "\""
                                    : light_attributes(classes);
    from = last + 1;
  }
  return result + text.substr(from);
}

std::string panels(const std::vector<Chart>& charts, std::size_t columns) {
  if (charts.empty()) throw ArgumentError("panels need at least one chart, not none");
  if (columns == 0) throw ArgumentError("panels need at least one column, not 0");
  columns = std::min(columns, charts.size());
  const std::size_t rows = (charts.size() + columns - 1) / columns;
  std::vector<double> widths(columns, 0);
  std::vector<double> heights(rows, 0);
  for (std::size_t i = 0; i < charts.size(); ++i) {
    widths[i % columns] = std::max(widths[i % columns], charts[i].options().width);
    heights[i / columns] = std::max(heights[i / columns], charts[i].options().height);
  }
  std::string title;
  std::string description;
  std::string body;
  double x = 0;
  double y = 0;
  for (std::size_t i = 0; i < charts.size(); ++i) {
    if (i > 0 && i % columns == 0) {
      x = 0;
      y += heights[i / columns - 1];
    }
    append_sentence(title, spoken_title(charts[i]));
    append_sentence(description, charts[i].options().description);
    body += "<g transform=\"translate(" + svg_number(x) + " " + svg_number(y) + ")\">\n" +
            draw(charts[i]) + "</g>\n";
    x += widths[i % columns];
  }
  double width = 0;
  for (const double column : widths) width += column;
  double height = 0;
  for (const double row : heights) height += row;
  return document(width, height, title, description, body);
}

}  // namespace cubcal::plot
