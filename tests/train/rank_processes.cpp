#include "train/rank_processes.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "cli/program.h"

namespace cubcal::test {

namespace {

/// One that nobody listens on.
int free_port() {
  const int descriptor = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  ::sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
  ::socklen_t length = sizeof address;
  ::bind(descriptor, reinterpret_cast<::sockaddr*>(&address), length);
  ::getsockname(descriptor, reinterpret_cast<::sockaddr*>(&address), &length);
  ::close(descriptor);
  return ::ntohs(address.sin_port);
}

[[noreturn]] void become_rank(int rank, int ranks, int port, const std::string& output,
                              const std::vector<std::string>& arguments) {
  ::setenv("RANK", std::to_string(rank).c_str(), 1);
  ::setenv("WORLD_SIZE", std::to_string(ranks).c_str(), 1);
  ::setenv("MASTER_ADDR", "127.0.0.1", 1);
  ::setenv("MASTER_PORT", std::to_string(port).c_str(), 1);
  ::setenv("OMP_NUM_THREADS", "1", 1);
  const int descriptor = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  ::dup2(descriptor, STDOUT_FILENO);
  ::dup2(descriptor, STDERR_FILENO);
  std::vector<std::string> words = {"cubcal", "train"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  ::execv(CUBCAL_PROGRAM, pointers.data());
  ::_exit(127);
}

}  // namespace

RankProcesses::RankProcesses(int ranks, const std::vector<std::string>& arguments,
                             std::string folder)
    : folder_(std::move(folder)) {
  const int port = free_port();
  for (int rank = 0; rank < ranks; ++rank) {
    const int pid = ::fork();
    if (pid == 0) become_rank(rank, ranks, port, output_path(rank), arguments);
    pids_.push_back(pid);
  }
}

RankProcesses::~RankProcesses() {
  for (std::size_t rank = 0; rank < pids_.size(); ++rank) {
    if (is_running(static_cast<int>(rank))) signal(static_cast<int>(rank), SIGKILL);
  }
  wait();
}

std::string RankProcesses::output_path(int rank) const {
  return folder_ + "/rank" + std::to_string(rank) + ".txt";
}

void RankProcesses::signal(int rank, int number) const {
  ::kill(pids_[static_cast<std::size_t>(rank)], number);
}

bool RankProcesses::is_running(int rank) {
  const int pid = pids_[static_cast<std::size_t>(rank)];
  if (statuses_.count(pid) > 0) return false;
  int status = 0;
  if (::waitpid(pid, &status, WNOHANG) == 0) return true;
  statuses_[pid] = status;
  return false;
}

std::vector<RankOutcome> RankProcesses::wait() {
  std::vector<RankOutcome> outcomes;
  for (std::size_t rank = 0; rank < pids_.size(); ++rank) {
    const int pid = pids_[rank];
    if (statuses_.count(pid) == 0) ::waitpid(pid, &statuses_[pid], 0);
    const int status = statuses_[pid];
    outcomes.push_back({WIFEXITED(status) ? WEXITSTATUS(status) : -1,
                        contents_of(output_path(static_cast<int>(rank)))});
  }
  return outcomes;
}

}  // namespace cubcal::test
