#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal {

/// Makes the folder where it is not there, as its owner's alone: what lies in it is of patients.
/// Throws IoError.
void make_private_folder(const std::string& path);

/// A file that appears whole, and that its owner alone may read. Throws IoError.
void write_private_file(const std::string& path, std::string_view contents);

/// A folder of files whose names are UIDs with a suffix. Everything else in it is passed over.
class SpoolFolder {
 public:
  /// Makes the folder where it is not there. Throws IoError.
  SpoolFolder(const std::string& path, std::string suffix);

  /// Where the file of this UID lies. Throws DataError for anything that is not a UID, so that no
  /// text from outside leads out of the folder.
  std::string path_of(const std::string& uid) const;
  bool has(const std::string& uid) const;
  /// Bytes of the file; 0 where there is none.
  std::uint64_t size_of(const std::string& uid) const;
  /// Removes the file, where there is one. Throws IoError.
  void remove(const std::string& uid) const;
  /// The file counts as new again, where there is one.
  void touch(const std::string& uid) const;
  /// UIDs of the files, the oldest first. Throws IoError.
  std::vector<std::string> uids() const;
  /// Bytes of all files that lie there, whatever their names. Throws IoError.
  std::uint64_t bytes() const;
  /// Removes files that are older. How many. Throws IoError.
  std::size_t remove_older(std::int64_t seconds) const;

 private:
  std::string path_;  ///< with a slash at the end
  std::string suffix_;
};

}  // namespace cubcal
