#include "cubcal/prevalence/black_box.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace cubcal {

namespace {

constexpr double kNoPivot = 1e-12;  ///< of a matrix whose columns sum to 1

/// A square matrix beside the unit matrix, for elimination.
class Elimination {
 public:
  explicit Elimination(std::size_t size) : size_(size), cells_(2 * size * size, 0.0) {
    for (std::size_t i = 0; i < size; ++i) at(i, size + i) = 1;
  }

  double& at(std::size_t row, std::size_t column) { return cells_[row * 2 * size_ + column]; }

  /// By Gauss and Jordan with the largest pivot of each column; afterwards inverse() is. False
  /// where there is none.
  bool run() {
    for (std::size_t column = 0; column < size_; ++column) {
      std::size_t pivot = column;
      for (std::size_t row = column + 1; row < size_; ++row) {
        if (std::abs(at(row, column)) > std::abs(at(pivot, column))) pivot = row;
      }
      if (std::abs(at(pivot, column)) < kNoPivot) return false;
      for (std::size_t k = 0; k < 2 * size_; ++k) std::swap(at(pivot, k), at(column, k));
      const double scale = 1 / at(column, column);
      for (std::size_t k = 0; k < 2 * size_; ++k) at(column, k) *= scale;
      for (std::size_t row = 0; row < size_; ++row) {
        const double factor = at(row, column);
        if (row == column || factor == 0) continue;
        for (std::size_t k = 0; k < 2 * size_; ++k) at(row, k) -= factor * at(column, k);
      }
    }
    return true;
  }

  double inverse(std::size_t row, std::size_t column) { return at(row, size_ + column); }

 private:
  std::size_t size_;
  std::vector<double> cells_;
};

}  // namespace

ClassShares answer_shares(const Predictive& samples, SampleCounts counts) {
  const std::vector<std::int64_t> answers(samples.predicted.begin(), samples.predicted.end());
  return label_shares(answers, samples.classes, counts);
}

std::optional<BlackBoxEstimate> black_box_prevalence(const CountedConfusion& labelled,
                                                     const ClassShares& answers) {
  const std::size_t classes = labelled.classes();
  Elimination matrix(classes);
  for (std::size_t label = 0; label < classes; ++label) {
    if (labelled.labelled(label) == 0) return std::nullopt;
    for (std::size_t answer = 0; answer < classes; ++answer) {
      matrix.at(answer, label) = labelled.cell(label, answer) / labelled.labelled(label);
    }
  }
  if (!matrix.run()) return std::nullopt;
  BlackBoxEstimate estimate;
  estimate.raw.assign(classes, 0.0);
  for (std::size_t column = 0; column < classes; ++column) {
    double norm = 0;
    for (std::size_t row = 0; row < classes; ++row) {
      norm += std::abs(matrix.inverse(row, column));
      estimate.raw[row] += matrix.inverse(row, column) * answers[column];
    }
    estimate.condition = std::max(estimate.condition, norm);
  }
  double sum = 0;
  for (const double share : estimate.raw) {
    estimate.prevalence.push_back(std::max(0.0, share));
    sum += estimate.prevalence.back();
  }
  for (double& share : estimate.prevalence) share /= sum;
  return estimate;
}

}  // namespace cubcal
