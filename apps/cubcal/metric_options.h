#pragma once

#include <CLI/CLI.hpp>

#include "cubcal/metrics/sample_facts.h"

namespace cubcal::app {

/// Adds --bins, --gamma and --eta, which mean the same in every command that measures.
void add_metric_options(CLI::App& command, MetricOptions& metrics);

}  // namespace cubcal::app
