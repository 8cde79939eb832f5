#include "interrupt.h"

#include <csignal>

#include "cubcal/io/unfinished_file.h"

namespace cubcal::app {

namespace {

volatile std::sig_atomic_t interrupt_count = 0;
volatile std::sig_atomic_t last_signal = SIGINT;

void on_signal(int signal) {
  interrupt_count = interrupt_count + 1;
  last_signal = signal;
  if (interrupt_count < 2) return;
  remove_unfinished_files();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

/// What nohup or a shell's & had ignored stays ignored.
auto watch_for(int signal) {
  const auto previous = std::signal(signal, on_signal);
  if (previous == SIG_IGN) std::signal(signal, SIG_IGN);
  return previous;
}

}  // namespace

InterruptWatch::InterruptWatch() {
  previous_interrupt_ = watch_for(SIGINT);
  previous_terminate_ = watch_for(SIGTERM);
}

InterruptWatch::~InterruptWatch() {
  std::signal(SIGINT, previous_interrupt_);
  std::signal(SIGTERM, previous_terminate_);
}

bool InterruptWatch::interrupted() { return interrupt_count > 0; }

int InterruptWatch::exit_code() { return 128 + last_signal; }

}  // namespace cubcal::app
