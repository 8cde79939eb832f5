#pragma once

#include <string>

#include "cubcal/shard/shard.h"

/// A rank is one of the processes that train one network together.
namespace cubcal {

/// Which rank this process is, and where all of them meet.
struct RankPlace {
  int rank = 0;
  int size = 1;
  int local_rank = 0;  ///< among those of this machine
  int local_size = 0;  ///< how many this machine has; 0: not known
  std::string address = "127.0.0.1";
  int port = 29500;
  std::string launcher;       ///< "torchrun", "Open MPI" or "Slurm"
  bool hosts_store = false;   ///< whether the meeting point is this process's to open
  std::string attempt = "0";  ///< torchrun starts a job anew under the next number
};

/// What the launcher's variables say: RANK, WORLD_SIZE, LOCAL_RANK, LOCAL_WORLD_SIZE, MASTER_ADDR
/// and MASTER_PORT (torchrun, or set by hand); else OMPI_COMM_WORLD_RANK and its like; else
/// SLURM_PROCID and its like. MASTER_ADDR and MASTER_PORT count in all three; without them Slurm's
/// ranks meet on the first node of the step, at a port that follows from the job's number, and
/// ranks of one machine on that machine at 29500. Throws ArgumentError where a variable is missing
/// or says something that cannot be.
RankPlace rank_place(const Environment& environment);

/// The first of Slurm's list of nodes: "gpu03" of "gpu[03-05,09],login1".
std::string first_node(const std::string& nodes);

}  // namespace cubcal
