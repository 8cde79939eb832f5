#pragma once

#include <CLI/CLI.hpp>
#include <string>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal::app {

/// Adds --bins, --gamma and --eta, which mean the same in every command that measures.
void add_metric_options(CLI::App& command, MetricOptions& metrics);

/// "Convention: nats; 15 equal bins (lo, hi]; ...", without a full stop.
std::string convention_text(const MetricOptions& metrics);

}  // namespace cubcal::app
