#pragma once

#include <string>
#include <vector>

namespace cubcal {

/// What lies in a folder. A link is what it leads to, too.
struct FolderEntry {
  std::string name;
  bool is_file = false;  ///< a regular one
  bool is_folder = false;
  bool is_link = false;
};

/// All entries but . and .., in no order. Throws IoError where the folder cannot be read. In the
/// place of the standard library's iterator, which ends the program where there is no memory.
std::vector<FolderEntry> folder_entries(const std::string& folder);

}  // namespace cubcal
