#pragma once

#include <cstddef>
#include <string>

namespace cubcal {

/// A file that must not outlive its process, as a temporary one or a lock: as long as this lives,
/// remove_unfinished_files() removes it.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const std::string& path);
  ~UnfinishedFile();
  UnfinishedFile(const UnfinishedFile&) = delete;
  UnfinishedFile& operator=(const UnfinishedFile&) = delete;

 private:
  std::size_t place_;  ///< among those a signal removes
};

/// For a signal handler that is about to end the process: calls nothing but unlink().
void remove_unfinished_files() noexcept;

}  // namespace cubcal
