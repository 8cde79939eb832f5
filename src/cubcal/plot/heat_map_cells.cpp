#include "cubcal/plot/heat_map_cells.h"

#include <algorithm>
#include <cmath>

namespace cubcal::plot {

std::vector<double> cell_edges(const std::vector<double>& edges, std::size_t cells) {
  if (!edges.empty()) return edges;
  std::vector<double> centred;
  for (std::size_t i = 0; i <= cells; ++i) centred.push_back(static_cast<double>(i) - 0.5);
  return centred;
}

Range colour_range(const HeatMap& map) {
  const auto [smallest, largest] = std::minmax_element(map.values.begin(), map.values.end());
  Range range{map.low.value_or(*smallest), map.high.value_or(*largest)};
  if (range.low < range.high) return range;
  const double margin = std::max(0.5, 0.1 * std::abs(range.low));
  if (map.low) return {range.low, range.low + margin};
  return {range.high - margin, map.high ? range.high : range.high + margin};
}

}  // namespace cubcal::plot
