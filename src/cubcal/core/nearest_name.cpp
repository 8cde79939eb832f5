#include "cubcal/core/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace cubcal {

namespace {

/// Levenshtein distance, one row of the table at a time.
std::size_t edits(const std::string& from, const std::string& to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t above = row[j + 1];
      const std::size_t replaced = diagonal + (from[i] == to[j] ? 0 : 1);
      row[j + 1] = std::min({above + 1, row[j] + 1, replaced});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(const std::string& wanted, const std::vector<std::string>& names) {
  const std::vector<std::string> nearest = nearest_names(wanted, names, 1);
  return nearest.empty() ? "" : nearest.front();
}

std::vector<std::string> nearest_names(const std::string& wanted,
                                       const std::vector<std::string>& names, std::size_t most) {
  std::vector<std::pair<std::size_t, std::string>> near;
  for (const std::string& name : names) {
    const std::size_t distance = edits(wanted, name);
    if (distance <= wanted.size() / 2) near.emplace_back(distance, name);
  }
  std::stable_sort(near.begin(), near.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> nearest;
  for (std::size_t i = 0; i < std::min(most, near.size()); ++i) nearest.push_back(near[i].second);
  return nearest;
}

}  // namespace cubcal
