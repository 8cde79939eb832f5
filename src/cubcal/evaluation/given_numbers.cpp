#include "cubcal/evaluation/given_numbers.h"

#include "cubcal/uncertainty/probabilities.h"

namespace cubcal {

std::size_t take_numbers(LogitsFile& file, const GivenNumbers& given) {
  if (given.probabilities) {
    file.probabilities =
        given.binary ? two_class_probabilities(file.logits, file.path) : std::move(file.logits);
    LogProbabilities logarithms = log_probabilities(file.probabilities, file.path);
    file.logits = std::move(logarithms.logits);
    return logarithms.rescaled;
  }
  if (given.binary) {
    file.logits = two_class_logits(file.logits, file.path);
  } else {
    refuse_probabilities(McLogits(file.logits), file.path);
  }
  return 0;
}

}  // namespace cubcal
