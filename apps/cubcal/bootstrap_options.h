#pragma once

#include <CLI/CLI.hpp>

#include "cubcal/metrics/resampling.h"

namespace cubcal::app {

/// Adds --level and --seed, which mean the same in every command with bootstrap intervals.
void add_resampling_options(CLI::App& command, BootstrapOptions& options,
                            const char* seed_help = "Seed of the bootstrap");

}  // namespace cubcal::app
