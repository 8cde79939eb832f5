#include "cubcal/plot/layout.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cubcal/core/check.h"
#include "cubcal/plot/heat_map_cells.h"
#include "cubcal/plot/occupancy.h"

namespace cubcal::plot {

namespace {

constexpr double kEdge = 10;  // free pixels at the edge of a chart

struct DataRange {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void add(const std::vector<double>& values) {
    for (const double value : values) add(value);
  }
};

struct RangeCollector {
  DataRange& x;
  DataRange& y;

  void operator()(const LineSeries& s) const { x.add(s.x), y.add(s.y); }
  void operator()(const BandSeries& s) const { x.add(s.x), y.add(s.low), y.add(s.high); }
  void operator()(const RegionSeries& s) const { x.add(s.x), y.add(s.y); }
  void operator()(const ScatterSeries& s) const { x.add(s.x), y.add(s.y); }
  void operator()(const BarSeries& s) const {
    x.add(s.left), x.add(s.right), y.add(s.top), y.add(s.base);
  }
  void operator()(const ReliabilitySeries& s) const {
    x.add(s.edges), y.add(0), y.add(1);
    for (std::size_t i = 0; i < s.count.size(); ++i) {
      if (s.count[i] > 0) y.add(s.observed[i]), y.add(s.expected[i]);
    }
  }
  void operator()(const HeatMap& map) const {
    x.add(cell_edges(map.x_edges, map.columns));
    y.add(cell_edges(map.y_edges, map.rows));
  }
  void operator()(const ReferenceLine& line) const {
    (line.direction == Direction::kVertical ? x : y).add(line.value);
  }
  void operator()(const Annotation& a) const { x.add(a.x), y.add(a.y); }
};

const HeatMap* find_heat_map(const std::vector<Element>& elements) {
  for (const Element& element : elements) {
    if (const auto* map = std::get_if<HeatMap>(&element)) return map;
  }
  return nullptr;
}

Range axis_range(const DataRange& data, std::size_t categories, bool tight,
                 const std::optional<double>& low, const std::optional<double>& high) {
  Range range{0, 1};
  if (categories > 0) {
    range = {-0.5, static_cast<double>(categories) - 0.5};
  } else if (data.low <= data.high) {
    range = {data.low, data.high};
    if (!tight || range.low == range.high) range = nice_range(range, 6);
  }
  if (low) range.low = *low;
  if (high) range.high = *high;
  if (!(range.low < range.high)) {
    // One end was given and all data lie beyond it.
    const double margin = std::max(1.0, 0.1 * std::abs(range.low));
    (low ? range.high : range.low) = low ? range.low + margin : range.high - margin;
  }
  if (!std::isfinite(0.5 * range.high - 0.5 * range.low) || !std::isfinite(range.low) ||
      !std::isfinite(range.high)) {
    throw ArgumentError("the values of a chart must span a finite range");
  }
  return range;
}

double widest(const std::vector<std::string>& labels) {
  double width = 0;
  for (const std::string& label : labels) width = std::max(width, text_width(label, kTickSize));
  return width;
}

Ticks category_ticks(const std::vector<std::string>& categories) {
  Ticks ticks;
  for (std::size_t i = 0; i < categories.size(); ++i) {
    ticks.values.push_back(static_cast<double>(i));
    ticks.labels.push_back(categories[i]);
  }
  return ticks;
}

/// As many ticks as fit side by side in `length` pixels.
Ticks fitting_x_ticks(Range range, double length) {
  for (int target = std::clamp(static_cast<int>(length / 45), 1, 10);; --target) {
    Ticks ticks = nice_ticks(range.low, range.high, target);
    const double count = static_cast<double>(std::max<std::size_t>(ticks.values.size(), 1));
    if (target <= 1 || count * (widest(ticks.labels) + 10) <= length) return ticks;
  }
}

Ticks fitting_y_ticks(Range range, double length) {
  return nice_ticks(range.low, range.high, std::clamp(static_cast<int>(length / 32), 1, 10));
}

std::vector<ReferenceLabel> reference_labels(const std::vector<Element>& elements,
                                             Direction direction) {
  std::vector<ReferenceLabel> labels;
  for (const Element& element : elements) {
    const auto* line = std::get_if<ReferenceLine>(&element);
    if (line && line->direction == direction && !line->label.empty())
      labels.push_back({line, 0, 0});
  }
  return labels;
}

void place_reference_labels(std::vector<ReferenceLabel>& labels, const Scale& scale, bool vertical,
                            double low, double high) {
  std::vector<double> wanted;
  std::vector<double> sizes;
  for (ReferenceLabel& label : labels) {
    label.line_at = scale(label.line->value);
    wanted.push_back(label.line_at);
    sizes.push_back(vertical ? text_width(label.line->label, kRemarkSize) + 6 : kRemarkSize + 4);
  }
  const std::vector<double> places = spread_apart(wanted, sizes, low, high);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i].label_at = places[i];
}

double right_label_width(const Layout& layout) {
  double width = 0;
  for (const ReferenceLabel& label : layout.right_labels) {
    width = std::max(width, 14 + text_width(label.line->label, kRemarkSize));
  }
  return width;
}

/// Everything right of the frame but the legend.
double right_margin(const Layout& layout, const HeatMap* map, double frame_height) {
  double margin = kEdge + 4;
  if (!layout.x_ticks.labels.empty() && !layout.slanted_x_labels) {
    margin = std::max(margin, text_width(layout.x_ticks.labels.back(), kTickSize) / 2 + 4);
  }
  const double label_width = right_label_width(layout);
  if (label_width > 0) margin = std::max(margin, label_width + 4);
  if (map) {
    const Ticks ticks = fitting_y_ticks(colour_range(*map), frame_height);
    margin = label_width + 14 + kColourBarWidth + 8 + widest(ticks.labels) + kEdge +
             (map->name.empty() ? 0 : kLabelSize + 6);
  }
  return margin;
}

struct Margins {
  double left;
  double top;
  double right;
  double bottom;
};

class Planner {
 public:
  Planner(const ChartOptions& options, const std::vector<Element>& elements)
      : options_(options), elements_(elements), map_(find_heat_map(elements)) {
    DataRange x;
    DataRange y;
    for (const Element& element : elements) std::visit(RangeCollector{x, y}, element);
    const bool tight = map_ != nullptr;
    x_range_ = axis_range(x, options.x_categories.size(), tight, options.x_min, options.x_max);
    y_range_ = axis_range(y, options.y_categories.size(), tight, options.y_min, options.y_max);
  }

  Layout plan(LegendPlace place) const {
    Layout layout;
    layout.legend_entries = legend_entries(elements_);
    if (!options_.title.empty()) {
      layout.title = wrapped(parse_markup(options_.title), kTitleSize, options_.width - 2 * kEdge);
    }
    layout.top_labels = reference_labels(elements_, Direction::kVertical);
    layout.right_labels = reference_labels(elements_, Direction::kHorizontal);
    // Tick labels depend on the size of the frame and the frame on the room for tick labels: they
    // settle after a few rounds.
    set_frame(layout, {50, 30, 20, 40});
    for (int round = 0; round < 4; ++round) {
      set_ticks(layout);
      set_frame(layout, margins(layout, place));
    }
    set_ticks(layout);
    place_labels(layout);
    place_outer_legend(layout, place);
    return layout;
  }

 private:
  void set_frame(Layout& layout, const Margins& margins) const {
    Frame& frame = layout.frame;
    frame.left = margins.left;
    frame.top = margins.top;
    frame.right = options_.width - margins.right;
    frame.bottom = options_.height - margins.bottom;
    if (frame.width() < 40 || frame.height() < 40) {
      throw ArgumentError("a chart of " + svg_number(options_.width) + " by " +
                          svg_number(options_.height) +
                          " pixels has no room for its labels: make it larger");
    }
    frame.x = {x_range_, frame.left, frame.right};
    frame.y = options_.y_downwards ? Scale{y_range_, frame.top, frame.bottom}
                                   : Scale{y_range_, frame.bottom, frame.top};
  }

  void set_ticks(Layout& layout) const {
    const Frame& frame = layout.frame;
    layout.x_ticks = options_.x_categories.empty() ? fitting_x_ticks(x_range_, frame.width())
                                                   : category_ticks(options_.x_categories);
    layout.y_ticks = options_.y_categories.empty() ? fitting_y_ticks(y_range_, frame.height())
                                                   : category_ticks(options_.y_categories);
    const double slot = frame.width() / (x_range_.high - x_range_.low);
    if (!options_.x_ticks.values.empty()) layout.x_ticks = options_.x_ticks;
    if (!options_.y_ticks.values.empty()) layout.y_ticks = options_.y_ticks;
    layout.slanted_x_labels =
        !options_.x_categories.empty() && widest(layout.x_ticks.labels) + 6 > slot;
  }

  double tick_label_height(const Layout& layout) const {
    if (!layout.slanted_x_labels) return kTickSize + 4;
    constexpr double kRadians = 3.14159265358979323846 / 180;
    return widest(layout.x_ticks.labels) * std::sin(kSlant * kRadians) + kTickSize + 2;
  }

  Margins margins(const Layout& layout, LegendPlace place) const {
    Margins margins{};
    margins.left =
        kEdge + widest(layout.y_ticks.labels) + 7 + (options_.y_label.empty() ? 0 : kLabelSize + 6);
    margins.top = kEdge + static_cast<double>(layout.title.size()) * kTitleLine +
                  (layout.title.empty() ? 0 : 4) +
                  (layout.top_labels.empty() ? 0 : kRemarkSize + 12);
    margins.bottom =
        5 + tick_label_height(layout) + (options_.x_label.empty() ? 0 : kLabelSize + 6) + kEdge;
    margins.right = right_margin(layout, map_, layout.frame.height());
    if (layout.legend_entries.empty()) return margins;
    if (place == LegendPlace::kBelow) {
      margins.bottom += legend_size(layout.legend_entries, legend_row_width()).height + 4;
    }
    if (place == LegendPlace::kRight) {
      margins.right += legend_size(layout.legend_entries, 0).width + 8;
    }
    return margins;
  }

  double legend_row_width() const { return options_.width - 2 * kEdge; }

  void place_labels(Layout& layout) const {
    const Frame& frame = layout.frame;
    layout.x_label_y = frame.bottom + 5 + tick_label_height(layout) + kLabelSize + 1;
    layout.y_label_x = kEdge + kLabelSize - 2;
    place_reference_labels(layout.top_labels, frame.x, true, 4, options_.width - 4);
    place_reference_labels(layout.right_labels, frame.y, false, frame.top - 4, frame.bottom + 4);
    layout.colour_bar_left = frame.right + right_label_width(layout) + 14;
  }

  void place_outer_legend(Layout& layout, LegendPlace place) const {
    if (layout.legend_entries.empty()) return;
    const Frame& frame = layout.frame;
    if (place == LegendPlace::kBelow) {
      const Size size = legend_size(layout.legend_entries, legend_row_width());
      const double centred = 0.5 * (frame.left + frame.right - size.width);
      const double x = std::max(kEdge, std::min(centred, options_.width - kEdge - size.width));
      layout.legend = LegendBox{
          {x, options_.height - kEdge + 4 - size.height}, legend_row_width(), size, false};
    }
    if (place == LegendPlace::kRight) {
      const Size size = legend_size(layout.legend_entries, 0);
      layout.legend = LegendBox{{options_.width - kEdge - size.width, frame.top}, 0, size, false};
    }
  }

  const ChartOptions& options_;
  const std::vector<Element>& elements_;
  const HeatMap* map_;
  Range x_range_{0, 1};
  Range y_range_{0, 1};
};

}  // namespace

std::vector<double> spread_apart(const std::vector<double>& wanted,
                                 const std::vector<double>& sizes, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> places = wanted;
  constexpr int kRounds = 200;
  for (int round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < places.size(); ++i) {
      places[i] = std::max(low + sizes[i] / 2, std::min(places[i], high - sizes[i] / 2));
    }
    bool moved = false;
    for (std::size_t i = 1; i < order.size(); ++i) {
      double& left = places[order[i - 1]];
      double& right = places[order[i]];
      const double lacking = (sizes[order[i - 1]] + sizes[order[i]]) / 2 - (right - left);
      if (lacking < 0.01) continue;
      left -= lacking / 2;
      right += lacking / 2;
      moved = true;
    }
    if (!moved) break;
  }
  return places;
}

Layout lay_out(const ChartOptions& options, const std::vector<Element>& elements) {
  const Planner planner(options, elements);
  if (options.legend != LegendPlace::kAuto) return planner.plan(options.legend);
  Layout layout = planner.plan(LegendPlace::kNone);
  if (layout.legend_entries.empty()) return layout;
  Size size = legend_size(layout.legend_entries, 0);
  size = {size.width + 2 * kLegendPadding, size.height + 2 * kLegendPadding};
  const std::optional<Point> corner =
      Occupancy(layout.frame, elements).free_corner(size, kLegendPadding);
  if (!corner) return planner.plan(LegendPlace::kBelow);
  layout.legend = LegendBox{*corner, 0, size, true};
  return layout;
}

}  // namespace cubcal::plot
