#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>

namespace cubcal {

/// A file that grows by whole records and can be cut back to an earlier length: what was written
/// after the last checkpoint is written again by the run that goes on from it.
class AppendFile {
 public:
  /// Opens or makes the file and cuts it to `length` bytes; a file shorter than that throws
  /// DataError.
  AppendFile(const std::string& path, std::uint64_t length);

  /// Appends and hands over to the operating system. Throws IoError.
  void append(std::string_view record);
  /// What was appended is on the disk when this returns: before a checkpoint counts on it.
  void sync();
  std::uint64_t length() const { return length_; }

 private:
  std::string path_;
  std::ofstream stream_;
  std::uint64_t length_;
};

}  // namespace cubcal
