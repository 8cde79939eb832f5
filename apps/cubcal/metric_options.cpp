#include "metric_options.h"

#include "cubcal/core/check.h"
#include "option_checks.h"

namespace cubcal::app {

void add_metric_options(CLI::App& command, MetricOptions& metrics) {
  command.add_option("--bins", metrics.bins, "Equal-width bins of ECE, UCE and BCCE")
      ->capture_default_str()
      ->check(within(std::size_t{1}, std::size_t{10000}));
  command
      .add_option("--gamma", metrics.gamma, "Confidence at which the boundary curve changes sides")
      ->capture_default_str();
  command
      .add_option("--eta", metrics.uncertainty_threshold,
                  "Uncertainty up to which an answer is certain (AvU), in nats")
      ->capture_default_str();
}

std::string convention_text(const MetricOptions& metrics) {
  return "Convention: nats; " + std::to_string(metrics.bins) +
         " equal bins (lo, hi]; BCCE with γ = " + to_text(metrics.gamma) +
         "; AvU with u_th = " + to_text(metrics.uncertainty_threshold);
}

}  // namespace cubcal::app
