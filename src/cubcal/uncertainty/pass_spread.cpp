#include "cubcal/uncertainty/pass_spread.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/core/quantile.h"

namespace cubcal {

namespace {

constexpr double kLowQuantile = 0.05;
constexpr double kHighQuantile = 0.95;

}  // namespace

std::vector<PassSpread> pass_spreads(const McLogits& logits,
                                     const std::vector<double>& temperatures) {
  check_same_size("temperatures", temperatures.size(), "samples", logits.samples());
  const std::size_t classes = logits.classes();
  const std::size_t passes = logits.passes();
  std::vector<PassSpread> spreads(logits.samples());
  std::vector<double> columns(classes * passes);
  std::vector<double> row(classes);
  for (std::size_t i = 0; i < logits.samples(); ++i) {
    for (std::size_t s = 0; s < passes; ++s) {
      for (std::size_t k = 0; k < classes; ++k) row[k] = logits.at(s, i, k) / temperatures[i];
      const double largest = *std::max_element(row.begin(), row.end());
      double sum = 0;
      for (double& value : row) sum += value = std::exp(value - largest);
      for (std::size_t k = 0; k < classes; ++k) columns[k * passes + s] = row[k] / sum;
    }
    for (std::size_t k = 0; k < classes; ++k) {
      double* column = &columns[k * passes];
      std::sort(column, column + passes);
      spreads[i].low.push_back(quantile({column, passes}, kLowQuantile));
      spreads[i].high.push_back(quantile({column, passes}, kHighQuantile));
    }
  }
  return spreads;
}

}  // namespace cubcal
