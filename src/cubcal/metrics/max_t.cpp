#include "cubcal/metrics/max_t.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cubcal/core/check.h"
#include "cubcal/core/tolerances.h"

namespace cubcal {

namespace {

/// Sums in another order differ by rounding; what differs by no more is equal.
constexpr double kRounding = 1e-9;

using Row = std::vector<std::optional<double>>;

/// t of the observed values first, then of each permutation; row after row.
std::vector<Row> common_scale(const Row& observed, const std::vector<Row>& permuted) {
  std::vector<Row> t(permuted.size() + 1, Row(observed.size()));
  for (std::size_t j = 0; j < observed.size(); ++j) {
    const auto value_in = [&](std::size_t row) {
      return row == 0 ? observed[j] : permuted[row - 1][j];
    };
    double sum = 0;
    double count = 0;
    for (std::size_t row = 0; row < t.size(); ++row) {
      if (const auto value = value_in(row)) {
        sum += *value;
        ++count;
      }
    }
    const double mean = sum / count;
    double squares = 0;
    double largest = 0;
    for (std::size_t row = 0; row < t.size(); ++row) {
      if (const auto value = value_in(row)) {
        squares += (*value - mean) * (*value - mean);
        largest = std::max(largest, std::abs(*value));
      }
    }
    const double deviation = std::sqrt(squares / count);
    const bool varies = deviation > kRounding * largest;
    for (std::size_t row = 0; row < t.size(); ++row) {
      if (const auto value = value_in(row)) {
        t[row][j] = varies ? std::abs(*value - mean) / deviation : 0;
      }
    }
  }
  return t;
}

}  // namespace

std::size_t fewest_permutations(double bound) {
  return static_cast<std::size_t>(std::ceil(1 / bound * (1 - kSumRounding)) - 1);
}

std::vector<PermutationP> max_t_p_values(const Row& observed, const std::vector<Row>& permuted) {
  for (const Row& row : permuted) {
    check_same_size("permuted statistics", row.size(), "observed ones", observed.size());
  }
  const std::size_t statistics = observed.size();
  const std::vector<Row> t = common_scale(observed, permuted);
  std::vector<std::size_t> falling(statistics);
  std::iota(falling.begin(), falling.end(), std::size_t{0});
  std::stable_sort(falling.begin(), falling.end(), [&](std::size_t a, std::size_t b) {
    return t[0][a].value_or(-1) > t[0][b].value_or(-1);
  });
  std::vector<double> single(statistics, 1);
  std::vector<double> stepped(statistics, 1);
  for (std::size_t b = 1; b < t.size(); ++b) {
    double largest = 0;
    for (std::size_t place = statistics; place > 0; --place) {
      const std::size_t j = falling[place - 1];
      const double reached = t[0][j].value_or(0) * (1 - kRounding);
      largest = std::max(largest, t[b][j].value_or(0));
      single[j] += !t[b][j] || *t[b][j] >= reached ? 1 : 0;
      stepped[j] += largest >= reached ? 1 : 0;
    }
  }
  std::vector<PermutationP> result(statistics);
  const auto rows = static_cast<double>(t.size());
  double highest = 0;
  for (const std::size_t j : falling) {
    highest = std::max(highest, stepped[j] / rows);
    const double p = single[j] / rows;
    result[j] = {p, std::max(highest, p)};
  }
  return result;
}

}  // namespace cubcal
