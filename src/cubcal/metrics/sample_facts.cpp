#include "cubcal/metrics/sample_facts.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "cubcal/boundary/curve.h"
#include "cubcal/core/check.h"
#include "cubcal/core/parallel.h"
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

double floored_nll(double probability) {
  return -std::log(std::max(probability, kProbabilityFloor));
}

SampleFacts sample_facts(const Predictive& predictive, ArrayView<const std::int64_t> labels,
                         const MetricOptions& options) {
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
  facts.normalised_entropy.resize(samples);
  facts.ideal.resize(samples);
  facts.negative_log_likelihood.resize(samples);
  facts.brier.resize(samples);
  facts.mutual_information.resize(samples);
  facts.confidence_bin.resize(samples);
  facts.uncertainty_bin.resize(samples);
  const double most = std::log(static_cast<double>(classes));
  constexpr std::size_t block = 4096;
  parallel_blocks(samples, block, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const double* p = &predictive.probabilities[i * classes];
      const std::size_t label = static_cast<std::size_t>(labels[i]);
      facts.correct[i] = facts.predicted[i] == labels[i] ? 1 : 0;
      facts.normalised_entropy[i] = facts.entropy[i] / most;
      facts.ideal[i] = u_ideal(facts.confidence[i], classes, options.gamma);
      facts.negative_log_likelihood[i] = floored_nll(p[label]);
      double squares = 0.0;
      for (std::size_t k = 0; k < classes; ++k) {
        const double difference = p[k] - (k == label ? 1.0 : 0.0);
        squares += difference * difference;
      }
      facts.brier[i] = squares;
      facts.mutual_information[i] = predictive.epistemic(i);
      facts.confidence_bin[i] =
          static_cast<std::uint32_t>(bin_index(facts.confidence[i], options.bins));
      facts.uncertainty_bin[i] =
          static_cast<std::uint32_t>(bin_index(facts.normalised_entropy[i], options.bins));
    }
  });
  facts.by_entropy = ascending_order(facts.entropy);
  return facts;
}

}  // namespace cubcal
