#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "cli/program.h"

namespace cubcal::test {

/// A program that runs beside the test until it is ended, with this object at the latest.
class BackgroundProgram {
 public:
  explicit BackgroundProgram(std::vector<std::string> words);
  ~BackgroundProgram();
  BackgroundProgram(const BackgroundProgram&) = delete;
  BackgroundProgram& operator=(const BackgroundProgram&) = delete;

  std::string printed() const;
  /// Whether it printed the text before it ended or a minute was over.
  bool has_printed(const std::string& text);
  void signal(int number) const;
  /// The exit code, or 128 and the signal.
  int wait();

 private:
  ScratchFolder streams_;
  ::pid_t process_ = -1;
};

/// Its path, or nothing where it is not installed.
std::string installed_program(const std::string& name);

/// A port that nobody listens at right now.
std::uint16_t free_port();

/// Whether so much time was enough for it to become true.
template <class Condition>
bool becomes_true(const Condition& condition, int seconds = 60);

}  // namespace cubcal::test

#include <chrono>
#include <thread>

template <class Condition>
bool cubcal::test::becomes_true(const Condition& condition, int seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
  while (std::chrono::steady_clock::now() < end) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return condition();
}
