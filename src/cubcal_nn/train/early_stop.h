#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cubcal/metrics/metric_values.h"

namespace cubcal {

/// Which epoch is the best, and when to stop for want of a better one.
struct EarlyStopOptions {
  /// A validation metric by its name in JSON; that it is to rise or to fall follows from the name.
  std::string metric = "balanced_accuracy";
  std::int64_t patience = 0;    ///< stop after so many epochs without a better one; 0: never
  std::int64_t min_epochs = 0;  ///< epochs before this many are done neither count nor can be best
};

/// The metric of that name; throws ArgumentError that lists those that have a better direction.
const MetricInfo& monitored_metric(const std::string& name);

void check_early_stop_options(const EarlyStopOptions& options, std::int64_t epochs);

/// The state is public so that a checkpoint can hold it.
struct EarlyStop {
  std::optional<double> best;
  std::int64_t best_epoch = -1;  ///< counted from 0
  std::int64_t epochs_since_best = 0;

  /// Takes the validation of epoch `epoch`; true where it is the best so far. An undefined value
  /// is never better.
  bool observe(const EarlyStopOptions& options, std::int64_t epoch, const MetricValues& validation);
  bool should_stop(const EarlyStopOptions& options) const;
};

}  // namespace cubcal
