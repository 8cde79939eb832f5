#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cubcal/dataset/selection.h"

namespace cubcal::app {

/// Which rows of a data set a command takes: --where, --hold-out and --drop.
struct RowOptions {
  std::vector<std::string> where;
  std::vector<std::string> hold_out;
  std::vector<std::string> drop;

  Selection selection() const;
};

/// The options must outlive the command.
void add_row_options(CLI::App& command, RowOptions& options);

}  // namespace cubcal::app
