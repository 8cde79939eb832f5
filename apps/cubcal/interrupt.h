#pragma once

namespace cubcal::app {

/// While one of these lives, Ctrl-C and SIGTERM raise a flag instead of ending the program; a
/// second one ends it. The commands ask the flag between steps and leave things in order. It stays
/// up: what is left between the last step of one piece of work and the first of the next counts.
class InterruptWatch {
 public:
  InterruptWatch();
  ~InterruptWatch();
  InterruptWatch(const InterruptWatch&) = delete;
  InterruptWatch& operator=(const InterruptWatch&) = delete;

  static bool interrupted();
  /// 130 for Ctrl-C and 143 for SIGTERM, as shells report a program that was ended by them.
  static int exit_code();

 private:
  using Handler = void (*)(int);
  Handler previous_interrupt_;
  Handler previous_terminate_;
};

}  // namespace cubcal::app
