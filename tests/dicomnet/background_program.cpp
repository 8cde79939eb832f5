#include "dicomnet/background_program.h"

#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cubcal::test {

BackgroundProgram::BackgroundProgram(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  const std::string output = streams_.file("out");
  process_ = ::fork();
  if (process_ == 0) {
    const int file = ::open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execv(words.front().c_str(), pointers.data());
    ::_exit(127);
  }
}

BackgroundProgram::~BackgroundProgram() {
  if (process_ < 0) return;
  signal(SIGKILL);
  wait();
}

std::string BackgroundProgram::printed() const { return contents_of(streams_.path() / "out"); }

bool BackgroundProgram::has_printed(const std::string& text) {
  bool has_ended = false;
  const auto has_text = [&] { return printed().find(text) != std::string::npos; };
  becomes_true([&] {
    ::siginfo_t facts{};
    has_ended =
        ::waitid(P_PID, static_cast<::id_t>(process_), &facts, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        facts.si_pid == process_;
    return has_text() || has_ended;
  });
  return has_text();
}

void BackgroundProgram::signal(int number) const { ::kill(process_, number); }

int BackgroundProgram::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string installed_program(const std::string& name) {
  for (const char* folder : {"/usr/bin/", "/usr/sbin/", "/usr/local/bin/"}) {
    if (::access((folder + name).c_str(), X_OK) == 0) return folder + name;
  }
  return "";
}

std::uint16_t free_port() {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  ::sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  ::socklen_t size = sizeof address;
  ::bind(socket, reinterpret_cast<::sockaddr*>(&address), size);
  ::getsockname(socket, reinterpret_cast<::sockaddr*>(&address), &size);
  ::close(socket);
  return ntohs(address.sin_port);
}

}  // namespace cubcal::test
