#pragma once

#include <vector>

#include "cubcal/metrics/sample_facts.h"
#include "cubcal/uncertainty/predictive.h"

namespace cubcal::test {

/// The prediction of a single pass whose probabilities are exactly these rows.
inline Predictive predictive_rows(const std::vector<std::vector<double>>& rows) {
  Predictive predictive;
  predictive.samples = rows.size();
  predictive.classes = rows.front().size();
  for (const std::vector<double>& row : rows) {
    const Summary summary = summarise(row.data(), row.size());
    predictive.probabilities.insert(predictive.probabilities.end(), row.begin(), row.end());
    predictive.predicted.push_back(summary.predicted);
    predictive.confidence.push_back(summary.confidence);
    predictive.entropy.push_back(summary.entropy);
    predictive.aleatoric.push_back(summary.entropy);
  }
  return predictive;
}

inline SampleFacts facts_of_rows(const std::vector<std::vector<double>>& rows,
                                 const std::vector<std::int64_t>& labels,
                                 const MetricOptions& options = {}) {
  return sample_facts(predictive_rows(rows), labels, options);
}

/// Facts with the given uncertainties and answers, for metrics that look at nothing else.
inline SampleFacts facts_of_answers(const std::vector<double>& entropies,
                                    const std::vector<int>& correct) {
  Predictive predictive;
  predictive.samples = entropies.size();
  predictive.classes = 2;
  std::vector<std::int64_t> labels;
  for (std::size_t i = 0; i < entropies.size(); ++i) {
    predictive.probabilities.insert(predictive.probabilities.end(), {0.75, 0.25});
    predictive.predicted.push_back(0);
    predictive.confidence.push_back(0.75);
    predictive.entropy.push_back(entropies[i]);
    predictive.aleatoric.push_back(entropies[i]);
    labels.push_back(correct[i] != 0 ? 0 : 1);
  }
  return sample_facts(predictive, labels, {});
}

}  // namespace cubcal::test
