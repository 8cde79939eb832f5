#pragma once

#include <CLI/CLI.hpp>

/// The subcommands of `cubcal data`, each in a file of its own.
namespace cubcal::app {

void add_data_inspect(CLI::App& data);
void add_data_pack(CLI::App& data);
void add_data_split(CLI::App& data);

}  // namespace cubcal::app
