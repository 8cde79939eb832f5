#include "cubcal/plot/legend.h"

#include <algorithm>

namespace cubcal::plot {

namespace {

constexpr double kFontSize = 11;
constexpr double kRowHeight = 17;
constexpr double kKeyWidth = 22;
constexpr double kKeyGap = 6;
constexpr double kEntryGap = 16;

double entry_width(const LegendEntry& entry) {
  return kKeyWidth + kKeyGap + text_width(entry.name, kFontSize);
}

/// Upper left corner of each entry, relative to that of the legend.
std::vector<Point> entry_corners(const std::vector<LegendEntry>& entries, double width) {
  std::vector<Point> corners;
  Point next{0, 0};
  for (const LegendEntry& entry : entries) {
    if (next.x > 0 && next.x + entry_width(entry) > width) next = {0, next.y + kRowHeight};
    corners.push_back(next);
    next.x += entry_width(entry) + kEntryGap;
  }
  return corners;
}

std::string draw_key(const LegendEntry& entry, double x, double middle) {
  switch (entry.key) {
    case LegendKey::kLine:
      return "<path class=\"cp-line " + stroke_class(entry.colour) + "\" stroke-width=\"" +
             svg_number(entry.width) + "\"" + dash_attribute(entry.stroke, entry.width) + " d=\"M" +
             svg_number(x) + " " + svg_number(middle) + "h" + svg_number(kKeyWidth) + "\"/>\n";
    case LegendKey::kArea:
      return rectangle(" class=\"" + fill_class(entry.colour) + "\" fill-opacity=\"" +
                           svg_number(entry.opacity) + "\"",
                       {x, middle - 5}, {x + kKeyWidth, middle + 5});
    case LegendKey::kFrame:
      return rectangle(" class=\"" + fill_class(entry.colour) + " " + stroke_class(entry.colour) +
                           "\" fill-opacity=\"" + svg_number(entry.opacity) + "\"",
                       {x + 0.5, middle - 4.5}, {x + kKeyWidth - 0.5, middle + 4.5});
    case LegendKey::kDisc:
      return "<circle class=\"" + fill_class(entry.colour) + "\" cx=\"" +
             svg_number(x + kKeyWidth / 2) + "\" cy=\"" + svg_number(middle) + "\" r=\"3.5\"/>\n";
  }
  return {};
}

struct EntryMaker {
  std::vector<LegendEntry>& entries;

  void add(bool wanted, const LegendEntry& entry) const {
    if (wanted && !entry.name.empty()) entries.push_back(entry);
  }
  void operator()(const LineSeries& s) const {
    add(s.in_legend, {s.name, LegendKey::kLine, s.colour, s.stroke, s.width, 1});
  }
  void operator()(const BandSeries& s) const {
    add(s.in_legend, {s.name, LegendKey::kArea, s.colour, Stroke::kSolid, 1, s.opacity});
  }
  void operator()(const RegionSeries& s) const {
    add(s.in_legend, {s.name, LegendKey::kArea, s.colour, Stroke::kSolid, 1, s.opacity});
  }
  void operator()(const ScatterSeries& s) const {
    add(s.in_legend, {s.name, LegendKey::kDisc, s.colour});
  }
  void operator()(const BarSeries& s) const {
    add(s.in_legend, {s.name, LegendKey::kArea, s.colour, Stroke::kSolid, 1, s.opacity});
  }
  void operator()(const ReliabilitySeries& s) const {
    add(s.in_legend, {s.name, LegendKey::kArea, s.colour, Stroke::kSolid, 1, 0.8});
    add(s.in_legend, {s.gap_name, LegendKey::kFrame, s.gap_colour, Stroke::kSolid, 1, 0.2});
  }
  void operator()(const HeatMap&) const {}
  void operator()(const ReferenceLine&) const {}
  void operator()(const Annotation&) const {}
};

}  // namespace

std::vector<LegendEntry> legend_entries(const std::vector<Element>& elements) {
  std::vector<LegendEntry> entries;
  for (const Element& element : elements) std::visit(EntryMaker{entries}, element);
  return entries;
}

Size legend_size(const std::vector<LegendEntry>& entries, double width) {
  Size size{0, 0};
  const std::vector<Point> corners = entry_corners(entries, width);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    size.width = std::max(size.width, corners[i].x + entry_width(entries[i]));
    size.height = corners[i].y + kRowHeight;
  }
  return size;
}

std::string draw_legend(const std::vector<LegendEntry>& entries, Point corner, double width) {
  std::string svg;
  const std::vector<Point> corners = entry_corners(entries, width);
  for (std::size_t i = 0; i < entries.size(); ++i) {
    const double x = corner.x + corners[i].x;
    const double middle = corner.y + corners[i].y + kRowHeight / 2;
    svg += draw_key(entries[i], x, middle);
    svg += text_element(x + kKeyWidth + kKeyGap, middle + 0.35 * kFontSize, entries[i].name,
                        {kFontSize, Anchor::kStart, 0, "cp-text"});
  }
  return svg;
}

std::string dash_attribute(Stroke stroke, double width) {
  if (stroke == Stroke::kSolid) return {};
  const double on = stroke == Stroke::kDashed ? 3 + 1.5 * width : 0.5 + width;
  const double off = stroke == Stroke::kDashed ? 2 + width : 1.5 + width;
  return " stroke-dasharray=\"" + svg_number(on) + " " + svg_number(off) + "\"";
}

}  // namespace cubcal::plot
