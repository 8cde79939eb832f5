#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/program.h"

namespace cubcal::test {

/// 'cubcal serve' in a process of its own, at a port that was free.
class ServedProgram {
 public:
  /// Returns once it listens; throws with what it printed where it does not.
  explicit ServedProgram(const std::vector<std::string>& arguments);
  ~ServedProgram();
  ServedProgram(const ServedProgram&) = delete;
  ServedProgram& operator=(const ServedProgram&) = delete;

  std::uint16_t port() const { return port_; }
  std::string printed() const;
  void signal(int number) const;
  /// Waits for its end: the exit code, or 128 and the signal.
  int wait();

 private:
  ScratchFolder streams_;
  ::pid_t process_ = -1;
  std::uint16_t port_ = 0;
};

}  // namespace cubcal::test
