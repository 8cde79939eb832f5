#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cubcal/core/array_view.h"
#include "cubcal/core/conventions.h"
#include "cubcal/predictive.h"

namespace cubcal {

/// What the metrics are computed with; reports name it beside their numbers.
struct MetricOptions {
  std::size_t bins = kDefaultBins;             ///< equal-width bins of ECE, UCE and BCCE
  double gamma = kDefaultGamma;                ///< where the boundary curve changes sides
  double uncertainty_threshold = kDefaultEta;  ///< u_th of the AvU states, in nats
};

/// Everything a metric needs to know of each sample. A metric is a sum over samples, so one that is
/// resampled (bootstrap) is the same sum with counts: the facts are worked out once.
struct SampleFacts {
  std::size_t samples = 0;
  std::size_t classes = 0;
  MetricOptions options;
  std::vector<std::int64_t> labels;
  std::vector<std::int32_t> predicted;
  std::vector<std::uint8_t> correct;
  std::vector<double> confidence;
  std::vector<double> entropy;                  ///< U, nats
  std::vector<double> normalised_entropy;       ///< U / ln K
  std::vector<double> ideal;                    ///< U_ideal(c)
  std::vector<double> negative_log_likelihood;  ///< -ln p_y with p floored at 1e-12
  std::vector<double> brier;                    ///< sum_k (p_k - 1[y=k])^2
  std::vector<double> mutual_information;
  std::vector<std::uint32_t> confidence_bin;
  std::vector<std::uint32_t> uncertainty_bin;
  std::vector<std::uint32_t> by_entropy;  ///< indices, most certain first; equals in file order
};

/// -ln p with p floored at 1e-12, so that one impossible label does not make the mean infinite.
double floored_nll(double probability);

/// Throws DataError unless there is a label in 0 .. classes - 1 for each sample.
void check_labels(ArrayView<const std::int64_t> labels, std::size_t samples, std::size_t classes);

/// Which facts are worked out besides labels, correctness, confidence and U; the others stay empty.
struct WantedFacts {
  bool confidence_bins = true;
  bool uncertainty_bins = true;  ///< with U / ln K
  bool ideal = true;
  bool likelihood = true;
  bool brier = true;
  bool mutual_information = true;
  bool order = true;  ///< by_entropy
};

/// Throws DataError when the labels do not fit the prediction, ArgumentError for bad options.
SampleFacts sample_facts(const Predictive& predictive, ArrayView<const std::int64_t> labels,
                         const MetricOptions& options, const WantedFacts& wanted = {});

/// How often each sample is counted: empty means once each.
class SampleCounts {
 public:
  SampleCounts() = default;
  explicit SampleCounts(ArrayView<const std::uint32_t> counts) : counts_(counts) {}
  std::uint32_t operator[](std::size_t i) const { return counts_.empty() ? 1 : counts_[i]; }

 private:
  ArrayView<const std::uint32_t> counts_;
};

/// How much each sample weighs: empty means 1 each. A metric that is a plain sum takes weights, of
/// which counts are the whole ones; one that steps from sample to sample takes counts alone.
class SampleWeights {
 public:
  SampleWeights() = default;
  SampleWeights(SampleCounts counts) : counts_(counts) {}  // NOLINT: meant to convert
  explicit SampleWeights(ArrayView<const double> weights) : weights_(weights) {}
  double operator[](std::size_t i) const { return weights_.empty() ? counts_[i] : weights_[i]; }

 private:
  SampleCounts counts_;
  ArrayView<const double> weights_;
};

/// Mean of one value per sample, weighted.
template <class T>
double mean_over_samples(const std::vector<T>& values, SampleWeights weights) {
  double sum = 0.0;
  double total = 0.0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    sum += weights[i] * static_cast<double>(values[i]);
    total += weights[i];
  }
  return sum / total;
}

}  // namespace cubcal
