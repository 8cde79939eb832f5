#include "cubcal/node/folder_worker.h"

#include "cubcal/node/refusal_reason.h"

namespace cubcal {

FolderWorker::FolderWorker(const std::string& folder, ImageSpool& spool, FolderWatchOptions options,
                           const Tell& tell)
    : tell_(tell), watch_(folder, spool, options, tell) {
  watch_.look();
  thread_ = std::thread([this] { work(); });
}

FolderWorker::~FolderWorker() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void FolderWorker::work() {
  constexpr std::chrono::seconds kEvery{1};
  bool is_readable = true;
  std::unique_lock<std::mutex> lock(mutex_);
  while (!changed_.wait_for(lock, kEvery, [&] { return stopping_; })) {
    lock.unlock();
    try {
      watch_.look();
      is_readable = true;
    } catch (const IoError& error) {
      if (is_readable)
        tell_(refusal_reason(error, "the watched folder"));  // once for each time that it goes away
      is_readable = false;
    }
    lock.lock();
  }
}

}  // namespace cubcal
