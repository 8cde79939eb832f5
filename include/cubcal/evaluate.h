#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/error.h"
#include "cubcal/mc_logits.h"
#include "cubcal/predictive.h"

/// Arrays to numbers. docs/metrics.md defines every metric.
namespace cubcal {

/// Mean prediction and uncertainty of each sample. Throws DataError naming the first logit that is
/// not finite.
Predictive predictive_of(const McLogits& logits);

/// The same of passes that hold probabilities instead of logits. These count as they are; a row
/// whose sum differs from 1 by more than 1e-6 is divided by it. Throws DataError for a value
/// outside [0, 1] and for a row of zeros.
Predictive predictive_of_probabilities(const McLogits& probabilities);

struct EvaluationOptions {
  double uncertainty_threshold = 0.325;  ///< of AvU, nats
  double gamma = 0.9;                    ///< where the boundary curve changes sides
  std::size_t bins = 15;                 ///< of ECE, UCE and BCCE
  bool clinical = false;                 ///< AUROC, kappa and the others of docs/metrics.md too
  std::size_t replicates = 0;            ///< of the bootstrap; 0: no intervals
  double confidence = 0.95;              ///< of the intervals
  std::uint64_t seed = 0;                ///< of the bootstrap
  /// Whom each sample is of: samples of one group are resampled together. Empty: each by itself.
  std::vector<std::string> groups = {};
};

struct MetricResult {
  std::string key;    ///< "ece"
  std::string label;  ///< "ECE"
  int better = 0;     ///< 1: higher is better, -1: lower, 0: neither by itself
  /// A fraction, nats or a count; nothing where undefined, as the mean U of wrong answers where
  /// there are none.
  std::optional<double> value;
  std::optional<double> low;  ///< bounds of the interval, where there is one
  std::optional<double> high;
};

struct EvaluationSummary {
  std::size_t samples = 0;
  std::size_t classes = 0;
  std::vector<MetricResult> metrics;

  /// By key. Throws ArgumentError listing the keys there are.
  const MetricResult& operator[](const std::string& key) const;
};

/// Throws DataError where the labels do not fit the predictions, ArgumentError where the groups do
/// not, and for an option outside its domain.
EvaluationSummary evaluate(const Predictive& predictive, const std::vector<std::int64_t>& labels,
                           const EvaluationOptions& options = {});
EvaluationSummary evaluate(const McLogits& logits, const std::vector<std::int64_t>& labels,
                           const EvaluationOptions& options = {});

}  // namespace cubcal
