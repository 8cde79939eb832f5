#include "cubcal/metrics/classification.h"

#include "cubcal/metrics/ratio.h"

namespace cubcal {

double accuracy(const SampleFacts& facts, SampleWeights weights) {
  return mean_over_samples(facts.correct, weights);
}

double balanced_accuracy(const SampleFacts& facts, SampleWeights weights) {
  std::vector<double> support(facts.classes, 0.0);
  std::vector<double> hits(facts.classes, 0.0);
  for (std::size_t i = 0; i < facts.samples; ++i) {
    const std::size_t label = static_cast<std::size_t>(facts.labels[i]);
    support[label] += weights[i];
    hits[label] += weights[i] * facts.correct[i];
  }
  double recalls = 0.0;
  double present = 0.0;
  for (std::size_t k = 0; k < facts.classes; ++k) {
    if (support[k] == 0) continue;
    recalls += hits[k] / support[k];
    present += 1.0;
  }
  return recalls / present;
}

double negative_log_likelihood(const SampleFacts& facts, SampleWeights weights) {
  return mean_over_samples(facts.negative_log_likelihood, weights);
}

double brier_score(const SampleFacts& facts, SampleWeights weights) {
  return mean_over_samples(facts.brier, weights);
}

std::vector<std::uint64_t> confusion_matrix(const SampleFacts& facts) {
  std::vector<std::uint64_t> matrix(facts.classes * facts.classes, 0);
  for (std::size_t i = 0; i < facts.samples; ++i) {
    ++matrix[static_cast<std::size_t>(facts.labels[i]) * facts.classes +
             static_cast<std::size_t>(facts.predicted[i])];
  }
  return matrix;
}

std::vector<ClassRow> class_table(const SampleFacts& facts) {
  const std::vector<std::uint64_t> matrix = confusion_matrix(facts);
  std::vector<double> confidence(facts.classes, 0.0);
  std::vector<double> uncertainty(facts.classes, 0.0);
  for (std::size_t i = 0; i < facts.samples; ++i) {
    confidence[static_cast<std::size_t>(facts.labels[i])] += facts.confidence[i];
    uncertainty[static_cast<std::size_t>(facts.labels[i])] += facts.entropy[i];
  }
  std::vector<ClassRow> table(facts.classes);
  for (std::size_t k = 0; k < facts.classes; ++k) {
    ClassRow& row = table[k];
    for (std::size_t other = 0; other < facts.classes; ++other) {
      row.support += matrix[k * facts.classes + other];
      row.predicted += matrix[other * facts.classes + k];
    }
    const double hits = static_cast<double>(matrix[k * facts.classes + k]);
    const double support = static_cast<double>(row.support);
    const double predicted = static_cast<double>(row.predicted);
    row.recall = ratio(hits, support);
    row.precision = ratio(hits, predicted);
    row.f1 = ratio(2.0 * hits, support + predicted);
    row.mean_confidence = ratio(confidence[k], support);
    row.mean_uncertainty = ratio(uncertainty[k], support);
  }
  return table;
}

}  // namespace cubcal
