#pragma once

#include <CLI/CLI.hpp>

#include "cubcal/metrics/resampling.h"

namespace cubcal::app {

/// Fewer replicates make no interval: of 20 the ends at 95% are next to the least and the largest
/// one drawn, of fewer the interval is narrower than it says for want of draws alone.
inline constexpr std::size_t kLeastReplicates = 20;

/// For --bootstrap: from kLeastReplicates to `most`, and 0 where that means none.
CLI::Validator enough_replicates(bool none_allowed = false, std::size_t most = 1000000);

/// Adds --level and --seed, which mean the same in every command with bootstrap intervals.
void add_resampling_options(CLI::App& command, BootstrapOptions& options,
                            const char* seed_help = "Seed of the bootstrap");

}  // namespace cubcal::app
