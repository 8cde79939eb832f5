#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "cubcal/core/error.h"

namespace cubcal {

/// In the folder that is locked.
inline constexpr const char* kLockFile = "run.lock";

/// Another process has the folder.
class FolderTaken : public IoError {
 public:
  using IoError::IoError;
};

/// The right to write into a folder of a run or a model, which one process has at a time, as long
/// as this lives. It is its file run.lock, which names the owner's machine and process. The
/// operating system takes it from an owner that ends in any way, and the next one takes it over.
/// The processes of another machine cannot be seen: there an owner lives as long as it touches the
/// file, which it does twice a minute, and one that has not for ten minutes is taken for dead, or
/// at once by the owner of a folder above. Within a process all locks of a folder are one.
class FolderLock {
 public:
  /// Throws FolderTaken naming the owner where another process has the folder, and IoError where it
  /// cannot be written. The folder must exist.
  explicit FolderLock(const std::string& folder);

  /// Throws IoError where the folder was removed or given to another process since.
  void check() const;

 private:
  class Held;
  std::shared_ptr<Held> held_;
};

/// Looks again and again until the folder is free; throws FolderTaken where it is not in that time.
FolderLock wait_for_folder(const std::string& folder, std::chrono::milliseconds longest);

}  // namespace cubcal
