#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

double accuracy(const SampleFacts& facts, SampleWeights weights = {});

/// Mean recall over the classes that occur among the labels.
double balanced_accuracy(const SampleFacts& facts, SampleWeights weights = {});

/// Mean -ln p_y, p floored at 1e-12.
double negative_log_likelihood(const SampleFacts& facts, SampleWeights weights = {});

/// Mean sum_k (p_k - 1[y=k])^2, in [0, 2].
double brier_score(const SampleFacts& facts, SampleWeights weights = {});

/// counts[y * K + predicted].
std::vector<std::uint64_t> confusion_matrix(const SampleFacts& facts);

/// One class of the per-class table; what has no samples to be computed from is undefined.
struct ClassRow {
  std::uint64_t support;    ///< samples with this label
  std::uint64_t predicted;  ///< samples predicted as this class
  std::optional<double> recall;
  std::optional<double> precision;
  std::optional<double> f1;
  std::optional<double> mean_confidence;   ///< over the samples with this label
  std::optional<double> mean_uncertainty;  ///< likewise, nats
};

std::vector<ClassRow> class_table(const SampleFacts& facts);

}  // namespace cubcal
