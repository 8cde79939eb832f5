#pragma once

#include <string>

#include "cubcal/uncertainty/mc_logits.h"
#include "cubcal/uncertainty/predictive.h"

/// Probabilities where logits are wanted: refused, counted as they are, or turned into logits.
namespace cubcal {

/// What the numbers of the first pass look like.
enum class NumberKind {
  kLogits,
  kProbabilities,  ///< every row lies in [0, 1] and sums to 1 within 1e-2
  kSigmoids,       ///< all lie in [0, 1], some between, and rows do not sum to 1
  kPercentages     ///< every row lies in [0, 100] and sums to 100 within 1
};
NumberKind kind_of_numbers(const McLogits& logits);

/// Throws DataError, naming the file and the option that takes them, unless they look like logits.
/// A softmax of probabilities is nearly uniform, and every number after it wrong.
void refuse_probabilities(const McLogits& logits, const std::string& path);

/// Smaller probabilities count as this one, which is also the floor of NLL.
inline constexpr double kProbabilityFloor = 1e-12;

/// A row whose sum is this near 1 counts as it is.
inline constexpr double kSumSlack = 1e-6;

/// The rule for K given probabilities, in place: another row, as sigmoid outputs of K classes or
/// what float16 rounds, is divided by its sum. Returns the sum it had. Throws DataError, naming the
/// file, for a value outside [0, 1], of which 1e-2 above 1 is forgiven to rounding, and for zeros
/// alone.
double as_distribution(double* row, std::size_t classes, const std::string& path);

/// ln max(p, floor) of such rows [S,N,K], for what needs logits: temperatures and energies.
/// `rescaled` tells how many sums differed from 1 by more than 1e-2. Throws as as_distribution
/// does.
struct LogProbabilities {
  NdArray logits;  ///< float64 of float64, else float32
  std::size_t rescaled = 0;
};
LogProbabilities log_probabilities(const NdArray& probabilities, const std::string& path);

/// Which parts of a prediction are worked out; the others stay empty.
struct PredictionParts {
  bool probabilities = true;
  bool uncertainty = true;  ///< entropy and aleatoric part, which take logarithms
};

/// The mean prediction of `passes` that hold such rows instead of logits: no logarithm is taken of
/// them on the way there. Throws as as_distribution does.
Predictive predict_probabilities(const McLogits& passes, const PredictionParts& parts,
                                 const std::string& path);

/// Probabilities [S,N,2] = (1 - p, p) of the one p for each sample [S,N,1] that class 1 has, as
/// float64 of float64, else as float32. Throws DataError for a p outside [0, 1].
NdArray two_class_probabilities(const NdArray& numbers, const std::string& path);

/// Logits [S,N,2] = (0, z) of one number z for each sample [S,N,1], whose sigmoid is the
/// probability of class 1.
NdArray two_class_logits(const NdArray& numbers, const std::string& path);

}  // namespace cubcal
