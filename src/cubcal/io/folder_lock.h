#pragma once

#include <memory>
#include <string>

namespace cubcal {

/// The right to write into a run folder, which one process has at a time, as long as this lives.
/// It is its file run.lock, which names the owner's machine and process. The operating system takes
/// it from an owner that ends in any way, and the next one takes it over. Within a process all
/// locks of a folder are one.
class FolderLock {
 public:
  /// Throws IoError naming the owner where another process has the folder, or where the owner was
  /// on another machine, whose processes cannot be seen from here. The folder must exist.
  explicit FolderLock(const std::string& folder);

  /// Throws IoError where the folder was removed or given to another process since.
  void check() const;

 private:
  class Held;
  std::shared_ptr<Held> held_;
};

}  // namespace cubcal
