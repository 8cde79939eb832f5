#include "cubcal_nn/losses/beta_schedule.h"

#include <algorithm>

#include "cubcal/core/check.h"

namespace cubcal {

void check_beta_options(const BetaOptions& options) {
  check_at_least("beta", options.beta, 0);
  check_finite("beta", options.beta);
  check_at_least("warmup_epochs", options.warmup_epochs, 0);
  check_at_least("beta_share", options.share, 0);
  check_finite("beta_share", options.share);
}

BetaSchedule::BetaSchedule(const BetaOptions& chosen) : options(chosen) {
  check_beta_options(chosen);
}

double BetaSchedule::beta() const { return state.epoch < options.warmup_epochs ? 0 : weight(); }

double BetaSchedule::weight() const {
  return options.mode == BetaMode::kFixed ? options.beta : state.current;
}

void BetaSchedule::observe(double cross_entropy, double kl, double cub) {
  state.data_sum += cross_entropy;
  state.kl_sum += kl;
  state.cub_sum += cub;
  ++state.steps;
}

void BetaSchedule::end_epoch() {
  // The number of steps cancels in the quotient of means.
  if (state.steps > 0 && state.cub_sum > 0) {
    state.current =
        options.mode == BetaMode::kShare
            ? std::min(options.share * state.data_sum / state.cub_sum, 1e2)
            : std::clamp(0.5 * (state.data_sum + state.kl_sum) / state.cub_sum, 1e-3, 1e2);
  }
  state.data_sum = state.kl_sum = state.cub_sum = 0;
  state.steps = 0;
  ++state.epoch;
}

}  // namespace cubcal
