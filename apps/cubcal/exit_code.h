#pragma once

namespace cubcal::app {

/// Of a command that did its work and found what it was told to fail on.
inline constexpr int kAlarmExit = 3;

/// Thrown by a command to end the program with this exit code and no sentence, after everything was
/// printed and written.
class ExitCode {
 public:
  explicit ExitCode(int code) : code_(code) {}
  int code() const { return code_; }

 private:
  int code_;
};

}  // namespace cubcal::app
