#pragma once

#include <CLI/CLI.hpp>

/// What holds for the options of every command.
namespace cubcal::app {

/// No number is NaN or infinite, which a range of CLI11 lets pass, and none without a sign is
/// negative or beyond 64 bits.
void check_all_numbers(CLI::App& app);

/// Throws ArgumentError where two options of the command that was named write to one file, so that
/// only one of them would be there in the end.
void check_all_outputs(const CLI::App& app);

}  // namespace cubcal::app
