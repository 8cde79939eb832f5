#include "cubcal/metrics/max_t.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

/// Sums in another order differ by rounding; what differs by no more is equal.
constexpr double kRounding = 1e-9;

/// t of the observed values first, then of each permutation; row after row.
std::vector<std::vector<double>> common_scale(
    const std::vector<double>& observed,
    const std::vector<std::vector<std::optional<double>>>& permuted) {
  const std::size_t statistics = observed.size();
  std::vector<std::vector<double>> t(permuted.size() + 1, std::vector<double>(statistics));
  for (std::size_t j = 0; j < statistics; ++j) {
    std::vector<double> values{observed[j]};
    for (const auto& row : permuted) {
      if (row[j]) values.push_back(*row[j]);
    }
    const auto count = static_cast<double>(values.size());
    const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
    double squares = 0;
    double largest = 0;
    for (const double value : values) {
      squares += (value - mean) * (value - mean);
      largest = std::max(largest, std::abs(value));
    }
    const double deviation = std::sqrt(squares / count);
    const bool varies = deviation > kRounding * largest;
    const auto scaled = [&](double value) {
      return varies ? std::abs(value - mean) / deviation : 0;
    };
    t[0][j] = scaled(observed[j]);
    for (std::size_t b = 0; b < permuted.size(); ++b) {
      t[b + 1][j] =
          permuted[b][j] ? scaled(*permuted[b][j]) : std::numeric_limits<double>::infinity();
    }
  }
  return t;
}

}  // namespace

std::vector<PermutationP> max_t_p_values(
    const std::vector<double>& observed,
    const std::vector<std::vector<std::optional<double>>>& permuted) {
  for (const auto& row : permuted) {
    check_same_size("permuted statistics", row.size(), "observed ones", observed.size());
  }
  const std::size_t statistics = observed.size();
  const std::vector<std::vector<double>> t = common_scale(observed, permuted);
  std::vector<std::size_t> falling(statistics);
  std::iota(falling.begin(), falling.end(), std::size_t{0});
  std::stable_sort(falling.begin(), falling.end(),
                   [&](std::size_t a, std::size_t b) { return t[0][a] > t[0][b]; });
  std::vector<double> single(statistics, 1);
  std::vector<double> stepped(statistics, 1);
  for (std::size_t b = 1; b < t.size(); ++b) {
    double largest = 0;
    for (std::size_t place = statistics; place > 0; --place) {
      const std::size_t j = falling[place - 1];
      const double reached = t[0][j] * (1 - kRounding);
      largest = std::max(largest, t[b][j]);
      single[j] += t[b][j] >= reached ? 1 : 0;
      stepped[j] += largest >= reached ? 1 : 0;
    }
  }
  std::vector<PermutationP> result(statistics);
  double highest = 0;
  for (const std::size_t j : falling) {
    highest = std::max(highest, stepped[j] / static_cast<double>(t.size()));
    result[j] = {single[j] / static_cast<double>(t.size()), highest};
  }
  return result;
}

}  // namespace cubcal
