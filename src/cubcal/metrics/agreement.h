#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "cubcal/metrics/sample_facts.h"

/// Agreement of answers and labels, from their table.
namespace cubcal {

/// Counted samples by label and answer, and the margins of that table.
class CountedConfusion {
 public:
  explicit CountedConfusion(const SampleFacts& facts, SampleCounts counts = {});

  std::size_t classes() const { return rows_.size(); }
  double cell(std::size_t label, std::size_t answer) const {
    return cells_[label * classes() + answer];
  }
  double labelled(std::size_t k) const { return rows_[k]; }
  double answered(std::size_t k) const { return columns_[k]; }
  double total() const { return total_; }

 private:
  std::vector<double> cells_;
  std::vector<double> rows_;
  std::vector<double> columns_;
  double total_ = 0;
};

/// How much a disagreement of class i with class j weighs.
enum class KappaWeights {
  kEqual,     ///< 1: Cohen 1960
  kQuadratic  ///< (i - j)^2, for classes that are grades: Cohen 1968
};

/// Cohen's kappa, 1 - observed / expected disagreement, the expected one from the margins.
/// Undefined where none is expected: all labels and all answers are one and the same class.
std::optional<double> cohen_kappa(const CountedConfusion& confusion, KappaWeights weights);

/// Matthews' correlation, for several classes R_K (Gorodkin 2004). Undefined where all labels, or
/// all answers, are one class.
std::optional<double> matthews_correlation(const CountedConfusion& confusion);

}  // namespace cubcal
