#include "cubcal/plot/drawing.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/plot/layout.h"
#include "cubcal/plot/marks.h"

namespace cubcal::plot {

namespace {

std::string segment(const char* css_class, Point a, Point b) {
  return std::string("<path class=\"") + css_class + "\" d=\"M" + svg_number(a.x) + " " +
         svg_number(a.y) + "L" + svg_number(b.x) + " " + svg_number(b.y) + "\"/>\n";
}

std::string draw_title(const Layout& layout, double width) {
  std::string svg;
  double baseline = kTitleSize + 8;
  for (const TextLine& line : layout.title) {
    const double half = text_width(line, kTitleSize) / 2;
    const double centre = 0.5 * (layout.frame.left + layout.frame.right);
    const double x = std::max(half, std::min(centre, width - half));
    svg += text_element(x, baseline, line, {kTitleSize, Anchor::kMiddle, 0, "cp-title"});
    baseline += kTitleLine;
  }
  return svg;
}

std::string draw_grid(const Layout& layout) {
  const Frame& frame = layout.frame;
  std::string svg;
  for (const double value : layout.x_ticks.values) {
    svg += segment("cp-grid", {frame.x(value), frame.top}, {frame.x(value), frame.bottom});
  }
  for (const double value : layout.y_ticks.values) {
    svg += segment("cp-grid", {frame.left, frame.y(value)}, {frame.right, frame.y(value)});
  }
  return svg;
}

std::string draw_axes(const Layout& layout, const ChartOptions& options) {
  const Frame& frame = layout.frame;
  std::string svg =
      rectangle(" class=\"cp-axis\"", {frame.left, frame.top}, {frame.right, frame.bottom});
  for (std::size_t i = 0; i < layout.x_ticks.values.size(); ++i) {
    const double x = frame.x(layout.x_ticks.values[i]);
    svg += segment("cp-axis", {x, frame.bottom}, {x, frame.bottom + 4});
    svg += layout.slanted_x_labels
               ? text_element(x + 3, frame.bottom + 6 + kTickSize, layout.x_ticks.labels[i],
                              {kTickSize, Anchor::kEnd, -kSlant, "cp-tick"})
               : text_element(x, frame.bottom + 6 + kTickSize, layout.x_ticks.labels[i],
                              {kTickSize, Anchor::kMiddle, 0, "cp-tick"});
  }
  for (std::size_t i = 0; i < layout.y_ticks.values.size(); ++i) {
    const double y = frame.y(layout.y_ticks.values[i]);
    svg += segment("cp-axis", {frame.left - 4, y}, {frame.left, y});
    svg += text_element(frame.left - 7, y + 0.35 * kTickSize, layout.y_ticks.labels[i],
                        {kTickSize, Anchor::kEnd, 0, "cp-tick"});
  }
  const TextStyle style{kLabelSize, Anchor::kMiddle, 0, "cp-text"};
  if (!options.x_label.empty()) {
    svg += text_element(0.5 * (frame.left + frame.right), layout.x_label_y, options.x_label, style);
  }
  if (!options.y_label.empty()) {
    TextStyle turned = style;
    turned.rotation = -90;
    svg +=
        text_element(layout.y_label_x, 0.5 * (frame.top + frame.bottom), options.y_label, turned);
  }
  return svg;
}

std::string draw_reference_labels(const Layout& layout) {
  const Frame& frame = layout.frame;
  std::string svg;
  for (const ReferenceLabel& label : layout.top_labels) {
    if (label.line_at < frame.left - 0.5 || label.line_at > frame.right + 0.5) continue;
    svg += segment("cp-axis", {label.line_at, frame.top}, {label.label_at, frame.top - 7});
    svg += text_element(label.label_at, frame.top - 11, label.line->label,
                        {kRemarkSize, Anchor::kMiddle, 0, fill_class(label.line->colour)});
  }
  for (const ReferenceLabel& label : layout.right_labels) {
    if (label.line_at < frame.top - 0.5 || label.line_at > frame.bottom + 0.5) continue;
    svg += segment("cp-axis", {frame.right, label.line_at}, {frame.right + 7, label.label_at});
    svg += text_element(frame.right + 10, label.label_at + 0.35 * kRemarkSize, label.line->label,
                        {kRemarkSize, Anchor::kStart, 0, fill_class(label.line->colour)});
  }
  return svg;
}

/// Where a line from the middle of the text to the target leaves the text.
Point edge_of_text(const Annotation& annotation, Point at, Point target) {
  const double half_width = text_width(annotation.text, kRemarkSize) / 2 + 2;
  const double half_height = kRemarkSize / 2 + 3;
  const double shift = annotation.anchor == Anchor::kStart ? 1 : -1;
  const Point middle{annotation.anchor == Anchor::kMiddle ? at.x : at.x + shift * half_width,
                     at.y - 0.35 * kRemarkSize};
  const Point way{target.x - middle.x, target.y - middle.y};
  const double share = std::max({std::abs(way.x) / half_width, std::abs(way.y) / half_height, 1.0});
  return {middle.x + way.x / share, middle.y + way.y / share};
}

std::string draw_annotation(const Annotation& annotation, const Frame& frame) {
  const Point at = frame.at(annotation.x, annotation.y);
  std::string svg;
  if (annotation.target_x && annotation.target_y) {
    const Point target = frame.at(*annotation.target_x, *annotation.target_y);
    svg += segment("cp-axis", edge_of_text(annotation, at, target), target);
    svg += "<circle class=\"" + fill_class(Colour::kMuted) + "\" cx=\"" + svg_number(target.x) +
           "\" cy=\"" + svg_number(target.y) + "\" r=\"2\"/>\n";
  }
  const std::string classes = "cp-halo " + fill_class(annotation.colour);
  return svg +
         text_element(at.x, at.y, annotation.text, {kRemarkSize, annotation.anchor, 0, classes});
}

std::string draw_legend_box(const Layout& layout) {
  const LegendBox& box = *layout.legend;
  if (!box.inside) return draw_legend(layout.legend_entries, box.corner, box.row_width);
  const Point opposite{box.corner.x + box.size.width, box.corner.y + box.size.height};
  return rectangle(" class=\"cp-paper\" fill-opacity=\"0.85\"", box.corner, opposite) +
         draw_legend(layout.legend_entries,
                     {box.corner.x + kLegendPadding, box.corner.y + kLegendPadding}, box.row_width);
}

/// What a script needs to turn places in the frame into values; an axis with labels of its own has
/// none.
std::string scale_attributes(const Frame& frame, const ChartOptions& options) {
  std::string text = " class=\"cp-marks\" data-frame=\"" + svg_number(frame.left) + " " +
                     svg_number(frame.top) + " " + svg_number(frame.right) + " " +
                     svg_number(frame.bottom) + "\"";
  const auto add = [&](const char* axis, const Scale& scale, const std::string& label) {
    text += std::string(" data-") + axis + "=\"" + to_text(scale.data.low) + " " +
            to_text(scale.data.high) + "\" data-" + axis + "-name=\"" +
            escape_xml(plain_text(label)) + "\"";
  };
  if (options.x_categories.empty() && options.x_ticks.values.empty()) {
    add("x", frame.x, options.x_label);
  }
  if (options.y_categories.empty() && options.y_ticks.values.empty()) {
    add("y", frame.y, options.y_label);
  }
  return text;
}

/// The marks cut off at the frame.
std::string clipped(const std::string& marks, const Frame& frame, const ChartOptions& options,
                    const std::string& page_id) {
  const std::string area = rectangle("", {frame.left, frame.top}, {frame.right, frame.bottom});
  const std::string id = page_id.empty() ? content_id(area + marks) : page_id + "-area";
  return "<clipPath id=\"" + id + "\">\n" + area + "</clipPath>\n<g clip-path=\"url(#" + id +
         ")\"" + (page_id.empty() ? "" : scale_attributes(frame, options)) + ">\n" + marks +
         "</g>\n";
}

}  // namespace

std::string draw(const Chart& chart, const std::string& page_id) {
  const ChartOptions& options = chart.options();
  const Layout layout = lay_out(options, chart.elements());
  std::string svg = draw_title(layout, options.width);
  if (options.grid) svg += draw_grid(layout);
  std::string marks;
  for (const Element& element : chart.elements())
    marks += draw_marks(element, layout.frame, !page_id.empty());
  if (!marks.empty()) svg += clipped(marks, layout.frame, options, page_id);
  svg += draw_axes(layout, options);
  svg += draw_reference_labels(layout);
  for (const Element& element : chart.elements()) {
    if (const auto* map = std::get_if<HeatMap>(&element)) {
      svg += draw_colour_bar(*map, layout.frame, layout.colour_bar_left);
    }
    if (const auto* annotation = std::get_if<Annotation>(&element)) {
      svg += draw_annotation(*annotation, layout.frame);
    }
  }
  if (layout.legend) svg += draw_legend_box(layout);
  return svg;
}

}  // namespace cubcal::plot
