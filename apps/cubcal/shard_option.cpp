#include "shard_option.h"

#include <cstdlib>

namespace cubcal::app {

CLI::Option* add_shard_option(CLI::App& command, std::string& shard, const std::string& what) {
  return command.add_option(
      "--shard", shard,
      "Only this share of the " + what +
          ": 2/4 is the second of four, auto the one a Slurm array "
          "says, auto/4 that of four a Slurm array or a Kubernetes Indexed Job says");
}

std::optional<Shard> chosen_shard(const std::string& shard) {
  if (shard.empty()) return std::nullopt;
  return parse_shard(shard, [](const char* name) { return std::getenv(name); });
}

}  // namespace cubcal::app
