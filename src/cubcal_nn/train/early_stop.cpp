#include "cubcal_nn/train/early_stop.h"

#include "cubcal/core/check.h"

namespace cubcal {

const MetricInfo& monitored_metric(const std::string& name) {
  std::string known;
  for (const MetricInfo& info : metric_infos()) {
    if (info.better == 0) continue;
    if (name == info.key) return info;
    known += (known.empty() ? "" : ", ") + std::string(info.key);
  }
  throw ArgumentError("'" + name + "' is not a metric to stop by; there are " + known);
}

void check_early_stop_options(const EarlyStopOptions& options, std::int64_t epochs) {
  monitored_metric(options.metric);
  check_at_least("patience", static_cast<double>(options.patience), 0);
  check_in_closed("min_epochs", static_cast<double>(options.min_epochs), 0,
                  static_cast<double>(epochs));
}

bool EarlyStop::observe(const EarlyStopOptions& options, std::int64_t epoch,
                        const MetricValues& validation) {
  if (epoch + 1 < options.min_epochs) return false;
  const MetricInfo& info = monitored_metric(options.metric);
  const std::optional<double>& value = validation[info.metric];
  if (value && (!best || info.better * (*value - *best) > 0)) {
    best = value;
    best_epoch = epoch;
    epochs_since_best = 0;
    return true;
  }
  ++epochs_since_best;
  return false;
}

bool EarlyStop::should_stop(const EarlyStopOptions& options) const {
  return options.patience > 0 && epochs_since_best >= options.patience;
}

}  // namespace cubcal
