#pragma once

#include <string>

/// Paths as text: names are bytes, separated by '/'.
namespace cubcal {

/// Without the blanks, tabs and no-break spaces at either end, which spreadsheets leave in cells.
std::string trimmed_cell(const std::string& text);

/// "jpg" of "a/b.JPG"; empty where the name has no dot, or only one in front.
std::string extension_of(const std::string& path);

/// "a/b" of "a/b/c", "." of "c", "/" of "/c".
std::string folder_of(const std::string& path);

/// "c" of "a/b/c".
std::string name_of(const std::string& path);

/// "folder/name"; the name alone where it is an absolute path or the folder is ".".
std::string path_in(const std::string& folder, const std::string& name);

/// Without "." and "..", doubled and closing slashes, as far as text alone can tell.
std::string normal_path(const std::string& path);

}  // namespace cubcal
