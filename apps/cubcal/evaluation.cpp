#include "evaluation.h"

namespace cubcal::app {

namespace {

std::vector<double> doubts(const Predictive& predictive) {
  std::vector<double> scores;
  for (const double confidence : predictive.confidence) scores.push_back(1.0 - confidence);
  return scores;
}

std::vector<double> mutual_information(const Predictive& predictive) {
  std::vector<double> scores;
  for (std::size_t i = 0; i < predictive.samples; ++i) scores.push_back(predictive.epistemic(i));
  return scores;
}

}  // namespace

Detection output_detection(const Predictive& in_distribution, const Predictive& out,
                           const std::string& title) {
  return {
      title,
      {{"confidence", "1 - confidence", detection_metrics(doubts(in_distribution), doubts(out))},
       {"uncertainty", "uncertainty U", detection_metrics(in_distribution.entropy, out.entropy)},
       {"mutual_information", "mutual information",
        detection_metrics(mutual_information(in_distribution), mutual_information(out))}}};
}

}  // namespace cubcal::app
