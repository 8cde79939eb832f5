#include "cubcal/metrics/sample_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cubcal/boundary/curve.h"
#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
#include "cubcal/metrics/bins.h"
#include "cubcal/metrics/value_order.h"
#include "cubcal/uncertainty/probabilities.h"

namespace cubcal {

void check_labels(ArrayView<const std::int64_t> labels, std::size_t samples, std::size_t classes) {
  if (labels.size() != samples) {
    throw DataError("there are " + std::to_string(labels.size()) + " labels for " +
                    std::to_string(samples) + " samples");
  }
  for (std::size_t i = 0; i < samples; ++i) {
    if (labels[i] >= 0 && labels[i] < static_cast<std::int64_t>(classes)) continue;
    throw DataError("labels must be in 0.." + std::to_string(classes - 1) + ", but sample " +
                    std::to_string(i) + " has " + std::to_string(labels[i]));
  }
  if (samples > std::numeric_limits<std::uint32_t>::max()) {
    throw DataError("at most 4294967295 samples can be evaluated together");
  }
}

namespace {

double squared_distance(const double* p, std::size_t classes, std::size_t label) {
  double squares = 0.0;
  for (std::size_t k = 0; k < classes; ++k) {
    const double difference = p[k] - (k == label ? 1.0 : 0.0);
    squares += difference * difference;
  }
  return squares;
}

/// The wanted facts of the samples first .. last - 1.
void fill_facts(const Predictive& predictive, const WantedFacts& wanted, std::size_t first,
                std::size_t last, SampleFacts& facts) {
  const std::size_t classes = facts.classes;
  const std::size_t bins = facts.options.bins;
  const double most = std::log(static_cast<double>(classes));
  for (std::size_t i = first; i < last; ++i) {
    const double* p = predictive.probabilities.data() + i * classes;
    const std::size_t label = static_cast<std::size_t>(facts.labels[i]);
    if (wanted.ideal) {
      facts.ideal[i] = u_ideal(facts.confidence[i], classes, facts.options.gamma);
    }
    if (wanted.likelihood) facts.negative_log_likelihood[i] = floored_nll(p[label]);
    if (wanted.brier) facts.brier[i] = squared_distance(p, classes, label);
    if (wanted.mutual_information) facts.mutual_information[i] = predictive.epistemic(i);
    if (wanted.confidence_bins) {
      facts.confidence_bin[i] = static_cast<std::uint32_t>(bin_index(facts.confidence[i], bins));
    }
    if (wanted.uncertainty_bins) {
      facts.normalised_entropy[i] = facts.entropy[i] / most;
      facts.uncertainty_bin[i] =
          static_cast<std::uint32_t>(bin_index(facts.normalised_entropy[i], bins));
    }
  }
}

}  // namespace

double floored_nll(double probability) {
  return -std::log(std::max(probability, kProbabilityFloor));
}

SampleFacts sample_facts(const Predictive& predictive, ArrayView<const std::int64_t> labels,
                         const MetricOptions& options, const WantedFacts& wanted) {
  const std::size_t samples = predictive.samples;
  const std::size_t classes = predictive.classes;
  check_at_least("the number of bins", static_cast<double>(options.bins), 1);
  check_gamma(options.gamma, classes);
  check_at_least("the uncertainty threshold", options.uncertainty_threshold, 0);
  check_labels(labels, samples, classes);

  SampleFacts facts;
  facts.samples = samples;
  facts.classes = classes;
  facts.options = options;
  facts.labels.assign(labels.begin(), labels.end());
  facts.predicted = predictive.predicted;
  facts.confidence = predictive.confidence;
  facts.entropy = predictive.entropy;
  facts.correct.resize(samples);
  if (wanted.uncertainty_bins) facts.normalised_entropy.resize(samples);
  if (wanted.uncertainty_bins) facts.uncertainty_bin.resize(samples);
  if (wanted.confidence_bins) facts.confidence_bin.resize(samples);
  if (wanted.ideal) facts.ideal.resize(samples);
  if (wanted.likelihood) facts.negative_log_likelihood.resize(samples);
  if (wanted.brier) facts.brier.resize(samples);
  if (wanted.mutual_information) facts.mutual_information.resize(samples);
  constexpr std::size_t block = 4096;
  parallel_blocks(samples, block, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      facts.correct[i] = facts.predicted[i] == labels[i] ? 1 : 0;
    }
    fill_facts(predictive, wanted, first, last, facts);
  });
  if (wanted.order) facts.by_entropy = ascending_order(facts.entropy);
  return facts;
}

}  // namespace cubcal
