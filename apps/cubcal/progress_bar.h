#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace cubcal::app {

/// "2:05", "1:02:05".
std::string clock_text(double seconds);

/// A line on stderr that says how far a long task is and when it will be done. It shows only where
/// stderr is a terminal, at most ten times a second, and is wiped when it goes out of scope.
class ProgressBar {
 public:
  explicit ProgressBar(std::string title);
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  void show(std::size_t done, std::size_t of);
  /// Removes the line, so that something else can be printed; the next show() draws it again.
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;

  std::string title_;
  bool visible_;  ///< stderr is a terminal
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now();
  Clock::time_point last_{};
};

}  // namespace cubcal::app
