#pragma once

#include <cstddef>

#include "cubcal/metrics/detection.h"

namespace cubcal {

/// Detection metrics of `size` scores in falling order, both sides with some weight. `weight(i)` is
/// a double or a whole number of 64 bits; `is_positive(i)` and `is_last_of_equals(i)`, whether the
/// next score is a lower one, say what the i-th is.
template <class Weight, class IsPositive, class IsLastOfEquals>
DetectionMetrics ranked_detection(std::size_t size, Weight weight, IsPositive is_positive,
                                  IsLastOfEquals is_last_of_equals) {
  using Sum = decltype(weight(0));
  Sum all = 0;
  Sum positives = 0;
  for (std::size_t i = 0; i < size; ++i) {
    all += weight(i);
    positives += is_positive(i) ? weight(i) : Sum(0);
  }
  const double wanted = 0.95 * static_cast<double>(positives);
  const auto pairs = static_cast<double>(positives) * static_cast<double>(all - positives);
  Sum caught = 0;
  Sum false_alarms = 0;
  Sum ordered_pairs = 0;  // twice, so that half of a tied pair is whole
  Sum equal_positives = 0;
  Sum equal_negatives = 0;
  Sum false_alarms_at_wanted = 0;
  double precision_sum = 0.0;
  for (std::size_t i = 0; i < size; ++i) {
    const Sum count = weight(i);
    const Sum positive_count = is_positive(i) ? count : Sum(0);
    equal_positives += positive_count;
    equal_negatives += count - positive_count;
    if (!is_last_of_equals(i)) continue;
    ordered_pairs += equal_negatives * (2 * caught + equal_positives);
    false_alarms += equal_negatives;
    if (equal_positives > 0) {
      const bool was_short = static_cast<double>(caught) < wanted;
      caught += equal_positives;
      precision_sum += static_cast<double>(equal_positives) * static_cast<double>(caught) /
                       static_cast<double>(caught + false_alarms);
      if (was_short) false_alarms_at_wanted = false_alarms;
    }
    equal_positives = 0;
    equal_negatives = 0;
  }
  return {0.5 * static_cast<double>(ordered_pairs) / pairs,
          precision_sum / static_cast<double>(positives),
          static_cast<double>(false_alarms_at_wanted) / static_cast<double>(all - positives)};
}

}  // namespace cubcal
