#pragma once

#include <cerrno>
#include <string>
#include <system_error>

#include "cubcal/core/error.h"

namespace cubcal {

/// "cannot <action> '<path>': <reason>".
inline IoError io_error(const std::string& action, const std::string& path,
                        const std::string& reason) {
  return IoError("cannot " + action + " '" + path + "': " + reason);
}

/// The same with the reason the operating system gave for its last refusal (errno).
inline IoError system_error(const std::string& action, const std::string& path) {
  return io_error(action, path, std::generic_category().message(errno));
}

}  // namespace cubcal
