#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/adaptive/sample_passes.h"
#include "cubcal/uncertainty/predictive.h"

/// How likely the mean of all S passes is to fall on another side than the mean of the first s.
///
/// Two kinds of answer, the exact one first.
///
/// *What remains.* The mean of all passes is (s m + (S - s) r) / S with m the mean so far and r the
/// mean of the passes to come, any point of the simplex. Where no r reaches the other side, the
/// chance is exactly 0 (rounding is allowed 1e-6). Margins and confidences are linear in r; the
/// entropy is concave, so its least value lies at a corner and its largest is found by filling the
/// lowest classes up to a common level.
///
/// *What is likely.* Let x_t be a quantity of pass t, x its mean over the first s passes, v its
/// sample variance. For independent normal passes the mean of all S differs from x by
/// sqrt(v (1/s - 1/S)) times a Student variable with s - 1 degrees of freedom, exactly: the
/// variance of a mean with the finite-population correction. Softmax outputs of one image are not
/// normal but skewed, with a tail towards the middle of the simplex, so that distances are measured
/// on a logarithmic scale by the delta method, which is stricter where the tail lies:
///   class a against j   ln(p_a / p_j)               x_t = p_ta / p_a - p_tj / p_j
///   confidence against g   ln((1 - c) / (1 - g))    x_t = (1 - p_ta) / (1 - c)
///   entropy against u   ln(U / u)                   x_t = -sum_k p_tk ln p_k / U
/// with p the mean so far. The entropy's x_t is its tangent at p, which by concavity lies above the
/// entropy of every other mean: the chance that U <= u turns into U > u is overstated by it and the
/// opposite one understated, where a mean of more passes tends to have more entropy. Several ways
/// to the other side are added up (union bound).
///
/// The second kind is an approximation: the scale only reduces the skewness, a variance from s
/// passes knows nothing of rarer events than one in s, and the delta method is of first order.
namespace cubcal {

class MeanForecast {
 public:
  /// Of `passes` (at least one of them) for the mean of `total` >= passes.count() passes.
  MeanForecast(const SamplePasses& passes, std::size_t total);

  /// Class, confidence and entropy of the mean so far.
  const Summary& now() const { return now_; }

  /// That the class of the mean becomes another one.
  double chance_of_other_class() const;
  /// That the side of c > level changes.
  double chance_of_crossing_confidence(double level) const;
  /// That the side of U > level changes.
  double chance_of_crossing_entropy(double level) const;

 private:
  /// Of a move by `distance` (in units of the mean) of the mean of x_t, t = 0 .. s - 1.
  double chance(double distance, const std::vector<double>& x) const;
  double lowest_entropy() const;
  double highest_entropy() const;

  const SamplePasses& passes_;
  double seen_;  ///< s / S
  double left_;  ///< 1 - s / S
  std::vector<double> mean_;
  Summary now_;
};

}  // namespace cubcal
