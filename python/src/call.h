#pragma once

#include <pybind11/pybind11.h>

#include <chrono>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"

namespace cubcal::python {

/// Whether Python has something to raise, such as KeyboardInterrupt after Ctrl-C. Asks it at most
/// every 20 ms: the GIL may have to be waited for.
class SignalCheck {
 public:
  bool operator()() {
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(20);
    const pybind11::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
  }

 private:
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(20);
};

/// Does the work without the GIL, so that other threads of Python run meanwhile, and ends it where
/// a signal arrives.
template <class Work>
auto without_gil(Work work) {
  try {
    const pybind11::gil_scoped_release released;
    const InterruptScope scope{SignalCheck()};
    return work();
  } catch (const Interrupted&) {
    throw pybind11::error_already_set();  // what PyErr_CheckSignals left
  }
}

}  // namespace cubcal::python
