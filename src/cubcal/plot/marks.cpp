#include "cubcal/plot/marks.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "cubcal/plot/heat_map_cells.h"
#include "cubcal/plot/layout.h"

namespace cubcal::plot {

namespace {

std::string path_text(const std::vector<Point>& points, bool closed) {
  PathData path;
  for (std::size_t i = 0; i < points.size(); ++i) {
    i == 0 ? path.move_to(points[i]) : path.line_to(points[i]);
  }
  if (closed) path.close();
  return path.text();
}

std::string stroked(const std::vector<Point>& points, const std::string& name, Colour colour,
                    Stroke stroke, double width, const char* attributes = "") {
  return "<path class=\"cp-line " + stroke_class(colour) + "\"" + attributes + " stroke-width=\"" +
         svg_number(width) + "\"" + dash_attribute(stroke, width) + " d=\"" +
         path_text(points, false) + "\">" + tooltip(name) + "</path>\n";
}

std::string filled(const std::vector<Point>& outline, const std::string& name, Colour colour,
                   double opacity) {
  return "<path class=\"" + fill_class(colour) + "\" fill-opacity=\"" + svg_number(opacity) +
         "\" d=\"" + path_text(outline, true) + "\">" + tooltip(name) + "</path>\n";
}

std::string interval(double low, double high) {
  return readable_number(low) + "\u2013" + readable_number(high);
}

/// Marks of a single path do not darken each other where they overlap; marks of different paths do.
constexpr std::size_t kScatterPaths = 8;

/// Cells beyond this number carry no tooltip of their own, so that a fine grid stays small.
constexpr std::size_t kMostTooltips = 2500;

std::string cell_text(Point a, Point b, const std::string& text, Rgb colour) {
  const double size = std::min(kRemarkSize, 0.6 * std::abs(b.y - a.y));
  if (size < 6 || text_width(literal(text), size) > std::abs(b.x - a.x)) return {};
  // 0.18 is where black and white stand out equally well.
  const char* fill = luminance(colour) < 0.18 ? "#ffffff" : "#101214";
  return "<text x=\"" + svg_number(0.5 * (a.x + b.x)) + "\" y=\"" +
         svg_number(0.5 * (a.y + b.y) + 0.35 * size) + "\" font-size=\"" + svg_number(size) +
         "\" text-anchor=\"middle\" fill=\"" + fill + "\" pointer-events=\"none\">" +
         escape_xml(text) + "</text>\n";
}

struct MarkDrawer {
  const Frame& frame;
  bool on_page;

  std::string operator()(const LineSeries& s) const {
    return stroked(frame.path(s.x, s.y), plain_text(s.name), s.colour, s.stroke, s.width,
                   on_page ? " data-line=\"\"" : "");
  }

  std::string operator()(const BandSeries& s) const {
    return filled(frame.outline(s.x, s.low, s.high), plain_text(s.name), s.colour, s.opacity);
  }

  std::string operator()(const RegionSeries& s) const {
    return filled(frame.path(s.x, s.y), plain_text(s.name), s.colour, s.opacity);
  }

  std::string operator()(const ScatterSeries& s) const {
    std::array<PathData, kScatterPaths> paths;
    std::array<std::string, kScatterPaths> notes;
    paths.fill(PathData(10));
    for (std::size_t i = 0; i < s.x.size(); ++i) {
      const Point at = frame.at(s.x[i], s.y[i]);
      const bool visible = at.x >= frame.left - s.radius && at.x <= frame.right + s.radius &&
                           at.y >= frame.top - s.radius && at.y <= frame.bottom + s.radius;
      if (!visible) continue;
      paths[i % kScatterPaths].dot(at);
      if (on_page && !s.notes.empty()) notes[i % kScatterPaths] += s.notes[i] + '\n';
    }
    std::string svg =
        "<g class=\"cp-dots " + stroke_class(s.colour) + "\" stroke-width=\"" +
        svg_number(2 * s.radius) + "\" stroke-opacity=\"" + svg_number(s.opacity) + "\">" +
        tooltip(plain_text(s.name) + " (" + std::to_string(s.x.size()) + " points)") + "\n";
    for (std::size_t i = 0; i < kScatterPaths; ++i) {
      if (paths[i].text().empty()) continue;
      const std::string note_list =
          on_page ? " data-dots=\"\" data-notes=\"" + escape_xml(notes[i]) + "\"" : "";
      svg += "<path" + note_list + " d=\"" + paths[i].text() + "\"/>\n";
    }
    return svg + "</g>\n";
  }

  std::string operator()(const BarSeries& s) const {
    std::string svg = "<g class=\"" + fill_class(s.colour) + "\" fill-opacity=\"" +
                      svg_number(s.opacity) + "\">\n";
    for (std::size_t i = 0; i < s.left.size(); ++i) {
      svg += rectangle("", frame.at(s.left[i], s.base), frame.at(s.right[i], s.top[i]),
                       plain_text(s.name) + ", " + interval(s.left[i], s.right[i]) + ": " +
                           readable_number(s.top[i]));
    }
    return svg + "</g>\n";
  }

  std::string operator()(const ReliabilitySeries& s) const {
    const std::string bar = " class=\"" + fill_class(s.colour) + "\" fill-opacity=\"0.8\"";
    const std::string gap = " class=\"" + fill_class(s.gap_colour) + " " +
                            stroke_class(s.gap_colour) + "\" fill-opacity=\"0.2\"";
    constexpr double kGapBetweenBars = 0.5;  // pixels on each side
    std::string svg = "<g>\n";
    for (std::size_t i = 0; i < s.count.size(); ++i) {
      if (s.count[i] == 0) continue;
      const double left = frame.x(s.edges[i]) + kGapBetweenBars;
      const double right = frame.x(s.edges[i + 1]) - kGapBetweenBars;
      const double observed = frame.y(s.observed[i]);
      const std::string title = interval(s.edges[i], s.edges[i + 1]) + ": " +
                                readable_number(s.observed[i]) + " observed, " +
                                readable_number(s.expected[i]) + " expected, count " +
                                std::to_string(s.count[i]);
      svg += rectangle(bar, {left, frame.y(0)}, {right, observed}, title);
      svg += rectangle(gap, {left + 0.5, observed}, {right - 0.5, frame.y(s.expected[i])}, title);
    }
    return svg + "</g>\n";
  }

  std::string operator()(const HeatMap& map) const {
    const std::vector<double> x = cell_edges(map.x_edges, map.columns);
    const std::vector<double> y = cell_edges(map.y_edges, map.rows);
    const Scale share{colour_range(map), 0, 1};
    const bool tooltips = map.values.size() <= kMostTooltips;
    std::string cells = "<g class=\"cp-cells\">\n";
    std::string texts;
    for (std::size_t row = 0; row < map.rows; ++row) {
      for (std::size_t column = 0; column < map.columns; ++column) {
        const double value = map.values[row * map.columns + column];
        const Rgb colour = sequential_colour(share(value));
        const Point a = frame.at(x[column], y[row]);
        const Point b = frame.at(x[column + 1], y[row + 1]);
        const std::string note = map.cell_notes.empty()
                                     ? readable_number(value)
                                     : map.cell_notes[row * map.columns + column];
        cells += rectangle(" fill=\"" + hex(colour) + "\"", a, b, tooltips ? note : std::string());
        if (map.show_values) {
          texts += cell_text(a, b,
                             map.cell_texts.empty() ? readable_number(value)
                                                    : map.cell_texts[row * map.columns + column],
                             colour);
        }
      }
    }
    return cells + "</g>\n" + texts;
  }

  std::string operator()(const ReferenceLine& line) const {
    const bool vertical = line.direction == Direction::kVertical;
    const double at = vertical ? frame.x(line.value) : frame.y(line.value);
    const std::vector<Point> ends = vertical
                                        ? std::vector<Point>{{at, frame.top}, {at, frame.bottom}}
                                        : std::vector<Point>{{frame.left, at}, {frame.right, at}};
    return stroked(ends, plain_text(line.label), line.colour, line.stroke, line.width);
  }

  std::string operator()(const Annotation&) const { return {}; }
};

}  // namespace

std::string draw_marks(const Element& element, const Frame& frame, bool on_page) {
  return std::visit(MarkDrawer{frame, on_page}, element);
}

std::string draw_colour_bar(const HeatMap& map, const Frame& frame, double left) {
  constexpr int kSteps = 64;
  const double right = left + kColourBarWidth;
  const double step = frame.height() / kSteps;
  std::string svg = "<g class=\"cp-cells\">\n";
  for (int i = 0; i < kSteps; ++i) {
    const double bottom = frame.bottom - i * step;
    svg += rectangle(" fill=\"" + hex(sequential_colour((i + 0.5) / kSteps)) + "\"", {left, bottom},
                     {right, std::max(frame.top, bottom - 1.5 * step)});
  }
  svg += "</g>\n";
  const Range range = colour_range(map);
  const Scale scale{range, frame.bottom, frame.top};
  const Ticks ticks =
      nice_ticks(range.low, range.high, std::clamp(static_cast<int>(frame.height() / 32), 1, 10));
  double widest = 0;
  for (std::size_t i = 0; i < ticks.values.size(); ++i) {
    const double y = scale(ticks.values[i]);
    svg += "<path class=\"cp-axis\" d=\"M" + svg_number(right) + " " + svg_number(y) + "h3\"/>\n";
    svg += text_element(right + 6, y + 0.35 * kTickSize, ticks.labels[i],
                        {kTickSize, Anchor::kStart, 0, "cp-tick"});
    widest = std::max(widest, text_width(ticks.labels[i], kTickSize));
  }
  if (!map.name.empty()) {
    svg += text_element(right + 8 + widest + kLabelSize, 0.5 * (frame.top + frame.bottom), map.name,
                        {kLabelSize, Anchor::kMiddle, -90, "cp-text"});
  }
  return svg;
}

}  // namespace cubcal::plot
