#include "cubcal/train/learning_rate.h"

#include <algorithm>
#include <cmath>

#include "cubcal/core/check.h"

namespace cubcal {

namespace {

/// From `first` at 0 to `last` at 1 along half a cosine.
double half_cosine(double first, double last, double place) {
  constexpr double kPi = 3.14159265358979323846;
  return last + (first - last) * 0.5 * (1 + std::cos(kPi * std::clamp(place, 0.0, 1.0)));
}

}  // namespace

void check_learning_rate_options(const LearningRateOptions& options, std::int64_t epochs) {
  check_positive("learning_rate", options.peak);
  check_finite("learning_rate", options.peak);
  check_in_closed("warmup_epochs", options.warmup_epochs, 0, static_cast<double>(epochs));
  check_in_closed("final_share", options.final_share, 0, 1);
  check_in_open("rise_share", options.rise_share, 0, 1);
  check_in_closed("start_share", options.start_share, 0, 1);
}

double learning_rate(const LearningRateOptions& options, const StagePosition& position) {
  const auto step = static_cast<double>(position.step);
  const auto total = static_cast<double>(position.steps_per_epoch * position.epochs);
  if (options.schedule == LearningRateSchedule::kOneCycle) {
    const double top = options.rise_share * total;
    return options.peak * (step < top ? half_cosine(options.start_share, 1, step / top)
                                      : half_cosine(1, options.final_share,
                                                    (step - top) / std::max(1.0, total - top)));
  }
  const double warmup = options.warmup_epochs * static_cast<double>(position.steps_per_epoch);
  if (step < warmup) return options.peak * (step + 1) / (warmup + 1);
  if (options.schedule == LearningRateSchedule::kConstant) return options.peak;
  return options.peak *
         half_cosine(1, options.final_share, (step - warmup) / std::max(1.0, total - warmup));
}

}  // namespace cubcal
