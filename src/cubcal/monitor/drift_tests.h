#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cubcal/monitor/predictions.h"

/// Whether the predictions of a period could be of the same kind as those of the reference.
namespace cubcal {

enum class DriftTest {
  kClasses,      ///< Pearson's chi-square of the answers' classes, reference against period
  kConfidence,   ///< Kolmogorov and Smirnov's largest distance of distributions of confidence
  kUncertainty,  ///< the same of U
  kReferral,     ///< difference of the shares with U above the threshold, or by verdicts where both
                 ///< sides have one for each prediction
  kOutside       ///< difference of the shares that are out of scope
};
/// "classes", "confidence", "uncertainty", "referral", "out_of_scope".
const char* drift_test_key(DriftTest test);
/// "class rates", "confidence", ...
const char* drift_test_title(DriftTest test);

struct DriftOptions {
  double refer_above = 0.325;       ///< U above which a prediction is referred, nats
  std::size_t permutations = 9999;  ///< at most
  std::uint64_t seed = 0;
  bool by_group = true;  ///< patients stay together, where both sides name them
};

struct DriftResult {
  DriftTest test;
  double statistic = 0;
  double p = 1;
  std::size_t permutations = 0;  ///< that were drawn for this p-value
};

/// Which tests predictions of so many classes allow: with two classes U and confidence say the
/// same, and only U is tested.
std::vector<DriftTest> possible_tests(std::size_t classes, bool with_outside);

/// Of a period and the reference, both with at least one prediction; out of scope only where both
/// have flags. p is exact whatever the sizes and ties, and counts the chance in the reference as
/// well as that in the period: predictions of both are pooled and divided anew by chance, whole
/// patients where both sides name them, and p is the share of divisions with as large a statistic
/// (permutation test; for two shares of single images it is Fisher's exact test). Drawing stops at
/// the 20th division that has one, with p = 20 / divisions (Besag and Clifford 1991), else after B
/// with p = (1 + found) / (B + 1): both keep P(p <= a) <= a where nothing differs. `stream` tells
/// the periods of one run apart.
std::vector<DriftResult> drift_tests(const Predictions& reference, const Predictions& period,
                                     std::size_t classes, const DriftOptions& options,
                                     std::uint64_t stream);

}  // namespace cubcal
