#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal {

/// P(y = 1) = 1 / (1 + exp(-(intercept + slope x))).
struct LogisticLine {
  double intercept = 0;
  double slope = 1;
};

enum class Slope {
  kFree,
  kHeld  ///< as in the line one starts with
};

/// Of maximum likelihood, by Newton's method from `start`. Nothing where there is none: all counted
/// y alike, x that parts them without error, or (slope free) all counted x alike.
std::optional<LogisticLine> fit_logistic_line(const std::vector<double>& x,
                                              const std::vector<std::uint8_t>& y,
                                              SampleCounts counts, Slope slope,
                                              const LogisticLine& start = {});

}  // namespace cubcal
