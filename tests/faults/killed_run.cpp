#include "faults/killed_run.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <thread>

#include "cli/program.h"

namespace cubcal::test {

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void become_program(const std::vector<std::string>& arguments, const char* folder) {
  std::vector<char*> words = {const_cast<char*>("cubcal")};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  const int nowhere = ::open("/dev/null", O_RDWR);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, stream);
  if (::chdir(folder) == 0) ::execv(CUBCAL_PROGRAM, words.data());
  ::_exit(127);
}

}  // namespace

std::size_t kills_or(std::size_t fewer) {
  const char* wanted = std::getenv("CUBCAL_KILLS");
  return wanted == nullptr ? fewer : std::strtoul(wanted, nullptr, 10);
}

bool run_and_kill(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
                  Seconds after) {
  const pid_t process = ::fork();
  if (process == 0) become_program(arguments, folder.c_str());
  std::this_thread::sleep_for(after);
  ::kill(process, SIGKILL);
  int status = 0;
  ::waitpid(process, &status, 0);
  return WIFEXITED(status);
}

Seconds time_of(const std::vector<std::string>& arguments, const std::filesystem::path& folder) {
  const Clock::time_point start = Clock::now();
  const Outcome outcome = run_cubcal(arguments, folder);
  EXPECT_EQ(outcome.exit_code, 0) << arguments.front() << ": " << outcome.err;
  return Clock::now() - start;
}

}  // namespace cubcal::test
