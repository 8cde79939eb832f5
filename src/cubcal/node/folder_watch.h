#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>

#include "cubcal/node/answer_worker.h"
#include "cubcal/spool/image_spool.h"

namespace cubcal {

struct FolderWatchOptions {
  std::uint64_t max_bytes = std::uint64_t{256} << 20U;  ///< of a file
  std::chrono::milliseconds settled{2000};  ///< a file that has not changed for so long is complete
  /// So often the spool is told what is still there, which it does not forget then.
  std::chrono::milliseconds remind{std::chrono::minutes(30)};
};

/// Takes DICOM files that appear in a folder or below it into the spool. Files are left as they
/// are; names that begin with a dot or end in .tmp, .part or .filepart, and links, are passed over,
/// and so are structured reports.
class FolderWatch {
 public:
  FolderWatch(std::string folder, ImageSpool& spool, FolderWatchOptions options, Tell tell);

  /// Takes what is complete. To be called again and again. Throws IoError where the folder itself
  /// cannot be read.
  void look();

 private:
  struct Seen {
    std::uint64_t size = 0;
    std::int64_t changed = 0;  ///< nanoseconds
    std::chrono::steady_clock::time_point since;
    bool is_done = false;
    bool is_there = true;
    std::string image_uid = {};  ///< once it was taken
  };

  void remind_spool();
  void look_in(const std::string& folder, int depth);
  void look_at(const std::string& path);
  /// Whether the file needs no other look.
  bool take(const std::string& path, Seen& seen);
  /// `told` does not name the file, whose name may be a patient's.
  void refuse(const std::string& path, const Seen& seen, const char* told,
              const std::string& reason);

  const std::string folder_;
  ImageSpool& spool_;
  const FolderWatchOptions options_;
  const Tell tell_;
  std::map<std::string, Seen> seen_;
  std::chrono::steady_clock::time_point reminded_ = std::chrono::steady_clock::now();
};

}  // namespace cubcal
