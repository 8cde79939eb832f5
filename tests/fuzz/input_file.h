#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace cubcal::fuzz {

/// A path at which a reader of files finds the input. The file lies in memory and is used again.
inline std::string input_path(const std::uint8_t* data, std::size_t size) {
  static const int descriptor = ::memfd_create("input", MFD_CLOEXEC);
  if (descriptor < 0 || ::ftruncate(descriptor, static_cast<off_t>(size)) != 0 ||
      ::pwrite(descriptor, data, size, 0) != static_cast<ssize_t>(size)) {
    std::abort();
  }
  return "/proc/self/fd/" + std::to_string(descriptor);
}

}  // namespace cubcal::fuzz
