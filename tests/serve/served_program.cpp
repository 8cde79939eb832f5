#include "serve/served_program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <stdexcept>
#include <thread>

namespace cubcal::test {

ServedProgram::ServedProgram(const std::vector<std::string>& arguments) {
  std::vector<std::string> words = {CUBCAL_PROGRAM, "serve", "--port", "0"};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string output = streams_.file("out");
  process_ = ::fork();
  if (process_ == 0) {
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execv(CUBCAL_PROGRAM, pointers.data());
    ::_exit(127);
  }
  for (int i = 0; i < 1200; ++i) {
    const std::string text = printed();
    const std::size_t line = text.find("serving at ");
    const std::size_t end = line == std::string::npos ? line : text.find("/  (", line);
    if (end != std::string::npos) {
      port_ = static_cast<std::uint16_t>(std::stoi(text.substr(text.rfind(':', end) + 1)));
      return;
    }
    if (::waitpid(process_, nullptr, WNOHANG) == process_) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  const std::string text = printed();
  ::kill(process_, SIGKILL);
  process_ = -1;
  throw std::runtime_error("the server did not start: " + text);
}

ServedProgram::~ServedProgram() {
  if (process_ < 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

std::string ServedProgram::printed() const { return contents_of(streams_.path() / "out"); }

void ServedProgram::signal(int number) const { ::kill(process_, number); }

int ServedProgram::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace cubcal::test
