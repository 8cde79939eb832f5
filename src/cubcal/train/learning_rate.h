#pragma once

#include <cstdint>

#include "cubcal/core/named_values.h"

namespace cubcal {

enum class LearningRateSchedule {
  kConstant,
  kCosine,   ///< half a cosine from the peak to final_share of it
  kOneCycle  ///< half a cosine up from start_share to the peak, then down to final_share
};

inline constexpr NamedValue<LearningRateSchedule> kLearningRateSchedules[] = {
    {"constant", LearningRateSchedule::kConstant},
    {"cosine", LearningRateSchedule::kCosine},
    {"one-cycle", LearningRateSchedule::kOneCycle}};

struct LearningRateOptions {
  double peak = 0.05;
  LearningRateSchedule schedule = LearningRateSchedule::kCosine;
  double warmup_epochs = 0;   ///< constant and cosine: linear rise from 0 over so many epochs
  double final_share = 0;     ///< cosine and one-cycle: the last rate as a share of the peak
  double rise_share = 0.3;    ///< one-cycle: share of the steps that goes up
  double start_share = 0.04;  ///< one-cycle: the first rate as a share of the peak
};

void check_learning_rate_options(const LearningRateOptions& options, std::int64_t epochs);

/// A place in a stage.
struct StagePosition {
  std::int64_t step = 0;  ///< steps done before this one, over all epochs
  std::int64_t steps_per_epoch = 1;
  std::int64_t epochs = 1;
};

/// The rate of one step: a function of the place alone, so that nothing has to be remembered.
double learning_rate(const LearningRateOptions& options, const StagePosition& position);

}  // namespace cubcal
