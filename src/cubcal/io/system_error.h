#pragma once

#include <cerrno>
#include <string>
#include <system_error>

#include "cubcal/core/error.h"

namespace cubcal {

/// "cannot <action> '<path>': <reason>". For those who may not name the file, which may be called
/// after a patient, it says the parts too.
class FileError : public IoError {
 public:
  FileError(std::string action, const std::string& path, std::string reason, int code)
      : IoError("cannot " + action + " '" + path + "': " + reason),
        action_(std::move(action)),
        reason_(std::move(reason)),
        code_(code) {}

  const std::string& action() const { return action_; }
  const std::string& reason() const { return reason_; }
  int code() const { return code_; }  ///< errno; 0 where the system did not refuse it

 private:
  std::string action_;
  std::string reason_;
  int code_;
};

inline FileError io_error(const std::string& action, const std::string& path,
                          const std::string& reason) {
  return {action, path, reason, 0};
}

/// The same with the reason the operating system gave for its last refusal (errno).
inline FileError system_error(const std::string& action, const std::string& path) {
  const int code = errno;
  return {action, path, std::generic_category().message(code), code};
}

}  // namespace cubcal
