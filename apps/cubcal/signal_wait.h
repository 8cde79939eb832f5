#pragma once

#include <pthread.h>

#include <csignal>

namespace cubcal::app {

/// Signals are for the thread that waits for them: those that are started while one of these lives
/// never see them.
class SignalWait {
 public:
  SignalWait() {
    sigemptyset(&watched_);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&watched_, signal);
    pthread_sigmask(SIG_BLOCK, &watched_, &before_);
    std::signal(SIGPIPE, SIG_IGN);
  }
  ~SignalWait() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalWait(const SignalWait&) = delete;
  SignalWait& operator=(const SignalWait&) = delete;

  int next() const {
    int signal = 0;
    sigwait(&watched_, &signal);
    return signal;
  }

 private:
  sigset_t watched_{};
  sigset_t before_{};
};

}  // namespace cubcal::app
