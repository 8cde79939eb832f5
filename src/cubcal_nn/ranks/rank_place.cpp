#include "cubcal_nn/ranks/rank_place.h"

#include <limits>
#include <optional>

#include "cubcal/core/error.h"
#include "cubcal/core/parse_number.h"

namespace cubcal {

namespace {

constexpr int kMostRanks = 1 << 16;
constexpr int kMostPort = 65535;

/// What one launcher calls its variables.
struct LauncherNames {
  const char* launcher;
  const char* rank;
  const char* size;
  const char* local_rank;
  const char* local_size;
};

constexpr LauncherNames kTorchrun = {"torchrun", "RANK", "WORLD_SIZE", "LOCAL_RANK",
                                     "LOCAL_WORLD_SIZE"};
constexpr LauncherNames kOpenMpi = {"Open MPI", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE",
                                    "OMPI_COMM_WORLD_LOCAL_RANK", "OMPI_COMM_WORLD_LOCAL_SIZE"};
constexpr LauncherNames kSlurm = {"Slurm", "SLURM_PROCID", "SLURM_NTASKS", "SLURM_LOCALID",
                                  "SLURM_NTASKS_PER_NODE"};

bool is_set(const Environment& environment, const char* name) {
  return environment(name) != nullptr;
}

/// Nothing where the variable is not set.
std::optional<int> whole_variable(const Environment& environment, const char* name, int least,
                                  int most) {
  const char* value = environment(name);
  if (value == nullptr) return std::nullopt;
  const std::string text = value;
  const std::optional<int> number = parse_whole<int>(text);
  if (!number || *number < least || *number > most) {
    throw ArgumentError(std::string("the environment variable ") + name +
                        " must be a whole number from " + std::to_string(least) + " to " +
                        std::to_string(most) + ", not '" + text + "'");
  }
  return number;
}

int needed_variable(const Environment& environment, const char* name, const char* other, int least,
                    int most) {
  const std::optional<int> number = whole_variable(environment, name, least, most);
  if (number) return *number;
  throw ArgumentError(std::string("the environment variable ") + other + " is set and " + name +
                      " is not: the option 'distributed' needs both");
}

const LauncherNames& launcher_of(const Environment& environment) {
  for (const LauncherNames* names : {&kTorchrun, &kOpenMpi, &kSlurm}) {
    if (is_set(environment, names->rank) || is_set(environment, names->size)) return *names;
  }
  throw ArgumentError(
      "the option 'distributed' needs a launcher that says which rank this is: torchrun (RANK and "
      "WORLD_SIZE), Open MPI's mpirun or Slurm's srun");
}

/// Slurm's ranks of different jobs may meet on one machine.
int default_port(const LauncherNames& names, const Environment& environment) {
  constexpr int kFirst = 20000;
  constexpr int kPorts = 10000;
  if (&names != &kSlurm) return RankPlace{}.port;
  const std::optional<int> job =
      whole_variable(environment, "SLURM_JOB_ID", 0, std::numeric_limits<int>::max());
  return kFirst + job.value_or(0) % kPorts;
}

std::string meeting_address(const LauncherNames& names, const RankPlace& place,
                            const Environment& environment) {
  if (const char* address = environment("MASTER_ADDR")) {
    if (*address != '\0') return address;
    throw ArgumentError("the environment variable MASTER_ADDR is empty");
  }
  if (place.local_size == place.size) return place.address;
  if (&names == &kSlurm) {
    for (const char* name : {"SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST"}) {
      if (const char* nodes = environment(name)) return first_node(nodes);
    }
  }
  throw ArgumentError(
      "the environment variable MASTER_ADDR is not set: ranks on several machines need the name "
      "or address of the one where rank 0 runs");
}

}  // namespace

std::string first_node(const std::string& nodes) {
  const std::size_t bracket = nodes.find('[');
  const std::size_t comma = nodes.find(',');
  if (bracket == std::string::npos || comma < bracket) return nodes.substr(0, comma);
  const std::size_t end = nodes.find_first_of("-,]", bracket);
  return nodes.substr(0, bracket) + nodes.substr(bracket + 1, end - bracket - 1);
}

RankPlace rank_place(const Environment& environment) {
  const LauncherNames& names = launcher_of(environment);
  RankPlace place;
  place.launcher = names.launcher;
  place.size = needed_variable(environment, names.size, names.rank, 1, kMostRanks);
  place.rank = needed_variable(environment, names.rank, names.size, 0, kMostRanks);
  if (place.rank >= place.size) {
    throw ArgumentError(std::string("the environment variable ") + names.rank + " is " +
                        std::to_string(place.rank) + ", but ranks count from 0 and " + names.size +
                        " says there are " + std::to_string(place.size));
  }
  place.local_rank =
      whole_variable(environment, names.local_rank, 0, kMostRanks).value_or(place.local_rank);
  place.local_size =
      whole_variable(environment, names.local_size, 1, kMostRanks).value_or(place.local_size);
  place.address = meeting_address(names, place, environment);
  place.port = whole_variable(environment, "MASTER_PORT", 1, kMostPort)
                   .value_or(default_port(names, environment));
  const char* served = environment("TORCHELASTIC_USE_AGENT_STORE");
  place.hosts_store = place.rank == 0 && (served == nullptr || std::string(served) != "True");
  if (const char* attempt = environment("TORCHELASTIC_RESTART_COUNT")) place.attempt = attempt;
  return place;
}

}  // namespace cubcal
