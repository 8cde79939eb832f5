#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cubcal/io/unfinished_file.h"

namespace cubcal {

/// A file that appears whole or not at all: bytes go to a temporary file in the target's folder,
/// and commit() renames it to the target. Without commit() the temporary file is removed and the
/// target stays as it was. Both the bytes and the name are on the disk when commit() returns.
///
/// A new file gets the permissions the umask gives, an existing one keeps its own. A symbolic link
/// is followed. A target that is a device or a pipe is written directly, since renaming over it
/// would replace it. Every failure is an IoError naming the target and the system's reason.
class AtomicFile {
 public:
  explicit AtomicFile(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  const std::string& path() const { return path_; }
  /// Bytes written so far.
  std::uint64_t position() const { return position_; }
  void write(const void* bytes, std::size_t count);
  void write(std::string_view bytes) { write(bytes.data(), bytes.size()); }
  /// Flushes, closes and renames. Nothing can be written afterwards.
  void commit();

 private:
  void open_temporary();
  void flush();
  void write_out(const char* bytes, std::size_t count);
  void discard() noexcept;

  std::string path_;                          ///< as the caller named it
  std::string target_;                        ///< with symbolic links resolved
  std::string temporary_;                     ///< empty where the target is written directly
  std::optional<UnfinishedFile> unfinished_;  ///< the temporary file
  std::string buffer_;
  std::uint64_t position_ = 0;
  int descriptor_ = -1;
};

/// Renames as AtomicFile does, with the name on the disk when it returns. Throws IoError.
void rename_file(const std::string& from, const std::string& to);

/// What others wrote to the file and handed to the operating system is on the disk when this
/// returns. Throws IoError.
void sync_to_disk(const std::string& path);

void write_file_atomically(const std::string& path, std::string_view contents);

/// Throws IoError where the path is a symbolic link. For files that have their fixed names in a
/// folder of models or of a run: such a folder may come from somebody else, and a link in it would
/// lead what is written to another place.
void refuse_link(const std::string& path);

/// Makes the folder and those above it, where they are not there. Throws IoError.
void make_folders(const std::string& path);

/// The whole file. Throws IoError where it cannot be read and DataError where it holds more than
/// max_bytes.
std::string read_text_file(const std::string& path, std::size_t max_bytes);

}  // namespace cubcal
