#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "cubcal/shard/shard.h"

namespace cubcal::app {

/// Adds --shard; `what` says which things are shared out: "images".
CLI::Option* add_shard_option(CLI::App& command, std::string& shard, const std::string& what);

/// The shard that the option asks for, nothing where it was not given. The environment is looked at
/// for "auto" alone.
std::optional<Shard> chosen_shard(const std::string& shard);

}  // namespace cubcal::app
