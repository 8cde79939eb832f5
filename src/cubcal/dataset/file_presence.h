#pragma once

#include <cstddef>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace cubcal {

/// Tells whether files are there. A folder that is asked for often is listed once: asking the
/// system for each of 100,000 files takes minutes on a network drive.
class FilePresence {
 public:
  /// Empty where the file, or the image "a.npz/train/17" of an npz set, is there; else what is
  /// wrong with it, as in "does not exist".
  std::string complaint(const std::string& path);

 private:
  struct Folder {
    std::size_t asked = 0;
    bool is_listed = false;
    std::unordered_set<std::string> files;
  };

  bool is_listed_file(const std::string& path);
  std::string npz_complaint(const std::string& file, const std::string& split, std::size_t index);

  std::unordered_map<std::string, Folder> folders_;
  /// Of "a.npz/train" the number of images.
  std::unordered_map<std::string, std::size_t> npz_sizes_;
};

}  // namespace cubcal
