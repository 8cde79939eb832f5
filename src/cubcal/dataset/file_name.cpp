#include "cubcal/dataset/file_name.h"

#include <filesystem>
#include <string_view>

#include "cubcal/core/words.h"

namespace cubcal {

std::string trimmed_cell(const std::string& text) {
  constexpr std::string_view kNoBreak = "\xC2\xA0";
  std::string_view rest = text;
  for (std::size_t before = rest.size() + 1; rest.size() < before;) {
    before = rest.size();
    if (rest.empty()) break;
    if (rest.front() == ' ' || rest.front() == '\t') rest.remove_prefix(1);
    if (!rest.empty() && (rest.back() == ' ' || rest.back() == '\t')) rest.remove_suffix(1);
    if (rest.substr(0, 2) == kNoBreak) rest.remove_prefix(2);
    if (rest.size() >= 2 && rest.substr(rest.size() - 2) == kNoBreak) rest.remove_suffix(2);
  }
  return std::string(rest);
}

std::string extension_of(const std::string& path) {
  const std::string name = name_of(path);
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos || dot == 0 ? "" : lower_case(name.substr(dot + 1));
}

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string name_of(const std::string& path) { return path.substr(path.rfind('/') + 1); }

std::string path_in(const std::string& folder, const std::string& name) {
  if (folder == "." || (!name.empty() && name[0] == '/')) return name;
  return !folder.empty() && folder.back() == '/' ? folder + name : folder + "/" + name;
}

std::string normal_path(const std::string& path) {
  // Most paths are normal already, and taking one apart costs more than looking at it.
  std::size_t start = 0;
  while (path.compare(start, 3, "../") == 0) start += 3;
  const bool is_normal = path.find("//", start) == std::string::npos &&
                         path.find("./", start) == std::string::npos && start < path.size() &&
                         path.back() != '/' && path.back() != '.';
  if (is_normal) return path;
  std::string normal = std::filesystem::path(path).lexically_normal().string();
  while (normal.size() > 1 && normal.back() == '/') normal.pop_back();
  return normal;
}

}  // namespace cubcal
