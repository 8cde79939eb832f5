#include "cubcal/plot/series_checks.h"

#include <cmath>

#include "cubcal/core/check.h"

namespace cubcal::plot {

namespace {

/// The checks of one series, which all speak of it by kind and name.
class Checker {
 public:
  Checker(const char* kind, const std::string& name)
      : series_(std::string(kind) + " \"" + plain_text(name) + "\"") {}

  void finite(const char* part, double value) const {
    if (!std::isfinite(value)) {
      refuse(std::string("the ") + part, "must be finite, not " + to_text(value));
    }
  }

  void finite(const char* part, const std::vector<double>& values) const {
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!std::isfinite(values[i])) {
        refuse(std::string("the ") + part,
               "must be finite, not " + to_text(values[i]) + " at index " + std::to_string(i));
      }
    }
  }

  void size(const char* part, std::size_t size, std::size_t expected) const {
    if (size != expected) {
      refuse(std::string("the ") + part,
             "must number " + std::to_string(expected) + ", not " + std::to_string(size));
    }
  }

  void at_least(const char* part, std::size_t size, std::size_t least) const {
    if (size < least) {
      refuse(std::string("the ") + part,
             "must number at least " + std::to_string(least) + ", not " + std::to_string(size));
    }
  }

  void rising(const char* part, const std::vector<double>& values) const {
    for (std::size_t i = 1; i < values.size(); ++i) {
      if (!(values[i - 1] < values[i])) {
        refuse(std::string("the ") + part, "must rise, but " + to_text(values[i - 1]) +
                                               " is followed by " + to_text(values[i]));
      }
    }
  }

  void within(const char* part, const std::vector<double>& values,
              const std::optional<double>& lower, const std::optional<double>& upper) const {
    for (const double value : values) {
      if (lower && value < *lower) {
        refuse(std::string("the ") + part,
               "must be at least " + to_text(*lower) + ", not " + to_text(value));
      }
      if (upper && value > *upper) {
        refuse(std::string("the ") + part,
               "must be at most " + to_text(*upper) + ", not " + to_text(value));
      }
    }
  }

  void opacity(double value) const {
    if (!(value >= 0 && value <= 1)) {
      refuse("the opacity", "must be in [0, 1], not " + to_text(value));
    }
  }

  void positive(const char* part, double value) const {
    if (!(std::isfinite(value) && value > 0)) {
      refuse(std::string("the ") + part, "must be a positive number, not " + to_text(value));
    }
  }

 private:
  [[noreturn]] void refuse(const std::string& part, const std::string& what) const {
    throw ArgumentError(part + " of " + series_ + " " + what);
  }

  std::string series_;
};

void check_edges(const Checker& checker, const char* part, const std::vector<double>& edges,
                 std::size_t cells) {
  if (edges.empty()) return;
  checker.size(part, edges.size(), cells + 1);
  checker.finite(part, edges);
  checker.rising(part, edges);
}

}  // namespace

void check(const LineSeries& series) {
  const Checker checker("line", series.name);
  checker.size("y values", series.y.size(), series.x.size());
  checker.at_least("points", series.x.size(), 1);
  checker.finite("x values", series.x);
  checker.finite("y values", series.y);
  checker.positive("width", series.width);
}

void check(const BandSeries& series) {
  const Checker checker("band", series.name);
  checker.size("low values", series.low.size(), series.x.size());
  checker.size("high values", series.high.size(), series.x.size());
  checker.at_least("points", series.x.size(), 2);
  checker.finite("x values", series.x);
  checker.finite("low values", series.low);
  checker.finite("high values", series.high);
  checker.opacity(series.opacity);
}

void check(const RegionSeries& series) {
  const Checker checker("region", series.name);
  checker.size("y values", series.y.size(), series.x.size());
  checker.at_least("corners", series.x.size(), 3);
  checker.finite("x values", series.x);
  checker.finite("y values", series.y);
  checker.opacity(series.opacity);
}

void check(const ScatterSeries& series) {
  const Checker checker("scatter", series.name);
  checker.size("y values", series.y.size(), series.x.size());
  checker.finite("x values", series.x);
  checker.finite("y values", series.y);
  checker.positive("radius", series.radius);
  if (!series.notes.empty()) checker.size("notes", series.notes.size(), series.x.size());
  checker.opacity(series.opacity);
}

void check(const DensitySeries& series) {
  const Checker checker("density", series.name);
  checker.at_least("values", series.values.size(), 1);
  checker.finite("values", series.values);
  checker.within("values", series.values, series.options.lower, series.options.upper);
  if (series.options.bandwidth) checker.positive("bandwidth", *series.options.bandwidth);
}

void check(const BarSeries& series) {
  const Checker checker("bars", series.name);
  checker.size("right edges", series.right.size(), series.left.size());
  checker.size("tops", series.top.size(), series.left.size());
  checker.finite("left edges", series.left);
  checker.finite("right edges", series.right);
  checker.finite("tops", series.top);
  checker.finite("base", series.base);
  checker.opacity(series.opacity);
}

void check(const ReliabilitySeries& series) {
  const Checker checker("reliability bars", series.name);
  checker.at_least("edges", series.edges.size(), 2);
  const std::size_t bins = series.edges.size() - 1;
  checker.size("observed values", series.observed.size(), bins);
  checker.size("expected values", series.expected.size(), bins);
  checker.size("counts", series.count.size(), bins);
  checker.finite("edges", series.edges);
  checker.rising("edges", series.edges);
  for (std::size_t i = 0; i < bins; ++i) {
    if (series.count[i] == 0) continue;
    checker.finite("observed values", series.observed[i]);
    checker.finite("expected values", series.expected[i]);
  }
}

void check(const HeatMap& map) {
  const Checker checker("heat map", map.name);
  checker.at_least("rows", map.rows, 1);
  checker.at_least("columns", map.columns, 1);
  checker.size("values", map.values.size(), map.rows * map.columns);
  checker.finite("values", map.values);
  check_edges(checker, "x edges", map.x_edges, map.columns);
  check_edges(checker, "y edges", map.y_edges, map.rows);
  if (!map.cell_notes.empty()) checker.size("notes", map.cell_notes.size(), map.values.size());
  if (!map.cell_texts.empty()) checker.size("texts", map.cell_texts.size(), map.values.size());
  if (map.low) checker.finite("low end", *map.low);
  if (map.high) checker.finite("high end", *map.high);
  if (map.low && map.high) checker.rising("ends", {*map.low, *map.high});
}

void check(const ReferenceLine& line) {
  const Checker checker("reference line", line.label);
  checker.finite("value", line.value);
  checker.positive("width", line.width);
}

void check(const Annotation& annotation) {
  const Checker checker("annotation", annotation.text);
  checker.finite("x", annotation.x);
  checker.finite("y", annotation.y);
  if (annotation.target_x) checker.finite("target x", *annotation.target_x);
  if (annotation.target_y) checker.finite("target y", *annotation.target_y);
}

}  // namespace cubcal::plot
