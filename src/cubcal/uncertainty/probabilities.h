#pragma once

#include <string>

#include "cubcal/uncertainty/mc_logits.h"
#include "cubcal/uncertainty/predictive.h"

/// Probabilities where logits are wanted: refused, or turned into logits.
namespace cubcal {

/// What the numbers of the first pass look like.
enum class NumberKind {
  kLogits,
  kProbabilities,  ///< every row lies in [0, 1] and sums to 1 within 1e-2
  kSigmoids        ///< all lie in [0, 1], some between, and rows do not sum to 1
};
NumberKind kind_of_numbers(const McLogits& logits);

/// Throws DataError, naming the file and the option that takes them, unless they look like logits.
/// A softmax of probabilities is nearly uniform, and every number after it wrong.
void refuse_probabilities(const McLogits& logits, const std::string& path);

/// Smaller probabilities count as this one, which is also the floor of NLL.
inline constexpr double kProbabilityFloor = 1e-12;

/// ln max(p, floor) of probabilities [S,N,K]: logits whose softmax is p. Rows that do not sum to 1,
/// as sigmoid outputs of K classes, are thereby divided by their sum; `rescaled` tells how many
/// differed from 1 by more than 1e-2. Throws DataError for a value outside [0, 1] and for a row of
/// zeros.
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

/// The mean prediction of probabilities [S,N,K] or [N,K] as they are: rows whose sum differs from 1
/// by more than 1e-6 are divided by it. Throws as log_probabilities does.
Predictive predict_probabilities(const NdArray& probabilities, const PredictionParts& parts,
                                 const std::string& path);

/// Logits [S,N,2] = (0, z) of one number z for each sample [S,N,1], whose sigmoid is the
/// probability of class 1; of a probability p, where `probabilities`, (ln (1-p), ln p), floored.
NdArray two_class_logits(const NdArray& numbers, bool probabilities, const std::string& path);

}  // namespace cubcal
