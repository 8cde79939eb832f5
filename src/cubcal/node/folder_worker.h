#pragma once

#include <condition_variable>
#include <mutex>
#include <thread>

#include "cubcal/node/folder_watch.h"

namespace cubcal {

/// The thread that looks into a folder every second.
class FolderWorker {
 public:
  /// Throws IoError where the folder cannot be read.
  FolderWorker(const std::string& folder, ImageSpool& spool, FolderWatchOptions options,
               const Tell& tell);
  ~FolderWorker();
  FolderWorker(const FolderWorker&) = delete;
  FolderWorker& operator=(const FolderWorker&) = delete;

 private:
  void work();

  const Tell tell_;
  FolderWatch watch_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace cubcal
