#pragma once

#include <cstdint>
#include <string>

namespace cubcal {

/// The lines of a file, one after the other. The file is open only while it is read from, so that
/// any number of these can be read side by side.
class LineReader {
 public:
  explicit LineReader(const std::string& path) : path_(path) {}

  /// The next line without its end; false at the end of the file, where a line that was cut off is
  /// not given. Throws IoError, and DataError for a line of more than 16 MiB.
  bool next(std::string& line);
  /// Bytes of the lines given so far, with their ends.
  std::uint64_t position() const { return position_; }
  const std::string& path() const { return path_; }

 private:
  bool refill();

  std::string path_;
  std::string buffer_;
  std::size_t used_ = 0;    ///< of the buffer
  std::uint64_t read_ = 0;  ///< of the file
  std::uint64_t position_ = 0;
};

}  // namespace cubcal
