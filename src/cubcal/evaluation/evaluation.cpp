#include "cubcal/evaluation/evaluation.h"

namespace cubcal {

Detection output_detection(const Predictive& in_distribution, const Predictive& out,
                           const std::string& title) {
  return {
      title,
      {{"confidence", "1 - confidence",
        detection_metrics(doubts(in_distribution.confidence), doubts(out.confidence))},
       {"uncertainty", "uncertainty U", detection_metrics(in_distribution.entropy, out.entropy)},
       {"mutual_information", "mutual information",
        detection_metrics(epistemic_parts(in_distribution), epistemic_parts(out))}}};
}

}  // namespace cubcal
