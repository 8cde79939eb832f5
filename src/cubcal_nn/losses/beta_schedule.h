#pragma once

#include <cstdint>

namespace cubcal {

enum class BetaMode {
  kFixed,      ///< beta after the warm-up
  kAutomatic,  ///< (CE + KL) / (2 L_CUB) of the epoch before, clamped to [1e-3, 1e2]
  kShare  ///< share * CE / L_CUB of the epoch before, at most 1e2: no batch or class changes it
};

struct BetaOptions {
  BetaMode mode = BetaMode::kFixed;
  double beta = 0.1;      ///< of kFixed
  int warmup_epochs = 5;  ///< epochs with beta = 0
  double share = 0.25;    ///< of kShare: what the CUB term weighs beside the cross entropy
};

void check_beta_options(const BetaOptions& options);

/// The weight of the CUB term, constant within an epoch. The automatic one keeps the term at half
/// the size of the other two together, the one by share at a share of the cross entropy alone,
/// which is what keeps CUB-Loss from its degenerate optimum. Both take the running means of the
/// epoch that ended, and are 0 while none has. The state is public so that a checkpoint can hold
/// it.
struct BetaSchedule {
  struct State {
    int epoch = 0;       ///< epochs finished
    double current = 0;  ///< beta that follows the other terms
    double data_sum = 0, kl_sum = 0, cub_sum = 0;
    std::int64_t steps = 0;
  };

  explicit BetaSchedule(const BetaOptions& options);

  /// beta of the epoch that runs now.
  double beta() const;
  /// What it would be without warm-up.
  double weight() const;
  /// The three terms of one step, unweighted by beta. Not needed for kFixed.
  void observe(double cross_entropy, double kl, double cub);
  void end_epoch();

  BetaOptions options;
  State state;
};

}  // namespace cubcal
