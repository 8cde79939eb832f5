#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "cubcal/dataset/file_presence.h"

namespace cubcal {

/// Finds the files that a table names as tables do: with backslashes, blanks around the name,
/// without the extension, or without the folder below the table's own in which the images lie.
class FileFinder {
 public:
  explicit FileFinder(std::string root);

  struct Found {
    std::string file;       ///< relative to the root, or absolute; as given where not found
    std::string complaint;  ///< empty, or what is wrong, as in "does not exist"
  };
  Found find(const std::string& file);

  /// How files were found that did not lie as named, a sentence each: "7470 files were named
  /// without the extension .jpg".
  std::vector<std::string> notes() const;

 private:
  std::vector<std::string> with_extensions(const std::string& file);
  const std::vector<std::string>& below_root(const std::string& name);
  bool is_there(const std::string& file);

  std::string root_;
  FilePresence presence_;
  bool is_walked_ = false;
  /// Images below the root by their names, with and without extension.
  std::unordered_map<std::string, std::vector<std::string>> by_name_;
  std::size_t cleaned_ = 0;
  std::map<std::string, std::size_t> extended_;  ///< by extension
  std::map<std::string, std::size_t> moved_;     ///< by folder
};

}  // namespace cubcal
