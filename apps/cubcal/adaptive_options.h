#pragma once

#include <CLI/CLI.hpp>

#include "cubcal/adaptive/sequential_decision.h"

namespace cubcal::app {

/// --error, --first, --block and --no-gamma, which the commands that stop early share.
void add_stopping_options(CLI::App& command, AdaptiveOptions& adaptive, bool& no_gamma);

}  // namespace cubcal::app
