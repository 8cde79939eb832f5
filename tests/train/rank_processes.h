#pragma once

#include <csignal>
#include <map>
#include <string>
#include <vector>

namespace cubcal::test {

struct RankOutcome {
  int code = -1;    ///< -1: ended by a signal
  std::string out;  ///< stdout and stderr
};

/// Processes of `cubcal train` that are ranks of one job on this machine, started as torchrun
/// does: by RANK, WORLD_SIZE, MASTER_ADDR and MASTER_PORT.
class RankProcesses {
 public:
  /// `arguments` come after `cubcal train`; what is printed goes to files in `folder`.
  RankProcesses(int ranks, const std::vector<std::string>& arguments, std::string folder);
  ~RankProcesses();
  RankProcesses(const RankProcesses&) = delete;
  RankProcesses& operator=(const RankProcesses&) = delete;

  void signal(int rank, int number) const;
  bool is_running(int rank);
  /// Of every rank, in their order.
  std::vector<RankOutcome> wait();

 private:
  std::string folder_;
  std::vector<int> pids_;
  std::map<int, int> statuses_;  ///< of processes that ended

  std::string output_path(int rank) const;
};

}  // namespace cubcal::test
