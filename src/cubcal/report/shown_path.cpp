#include "cubcal/report/shown_path.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "cubcal/core/words.h"

namespace cubcal::report {

namespace {

namespace fs = std::filesystem;

/// On any system, since files travel: /a/b, C:\a\b and \\host\a.
bool is_absolute(const std::string& path) {
  if (path.empty()) return false;
  if (path[0] == '/' || path[0] == '\\' || starts_with(path, "~/")) return true;
  const bool is_drive = path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
  return is_drive;
}

std::string last_name(std::string path) {
  while (path.size() > 1 && (path.back() == '/' || path.back() == '\\')) path.pop_back();
  const std::size_t slash = path.find_last_of("/\\");
  return slash == std::string::npos || path.size() == 1 ? path : path.substr(slash + 1);
}

std::vector<std::string> parts_of(const std::string& path) {
  fs::path whole = fs::path(path).lexically_normal();
  if (!whole.has_filename()) whole = whole.parent_path();
  const std::string end = whole.extension().string();
  if (end == ".npz" || end == ".npy" || end == ".csv") whole.replace_extension();
  std::vector<std::string> parts;
  for (const fs::path& part : whole) {
    if (part != "/" && part != "." && part != "..") parts.push_back(part.string());
  }
  return parts;
}

std::string tail(const std::vector<std::string>& parts, std::size_t count) {
  std::string text;
  for (std::size_t i = parts.size() - std::min(count, parts.size()); i < parts.size(); ++i) {
    text += (text.empty() ? "" : "/") + parts[i];
  }
  return text;
}

}  // namespace

std::string shown_path(const std::string& path) {
  return is_absolute(path) ? last_name(path) : path;
}

std::string without_folders(const std::string& text) {
  std::string result;
  std::size_t from = 0;
  while (from < text.size()) {
    const std::size_t open = text.find_first_of("\"'", from);
    if (open == std::string::npos) break;
    const std::string ends{text[open], '\n'};
    const std::size_t end = text.find_first_of(ends, open + 1);
    const bool is_quote =
        end != std::string::npos && text[end] == text[open] &&
        (open == 0 || std::isalnum(static_cast<unsigned char>(text[open - 1])) == 0);
    if (!is_quote) {
      result += text.substr(from, open + 1 - from);
      from = open + 1;
      continue;
    }
    const std::string quoted = text.substr(open + 1, end - open - 1);
    const bool is_path = is_absolute(quoted) && last_name(quoted) != quoted;
    result += text.substr(from, open + 1 - from) + (is_path ? "…/" + last_name(quoted) : quoted);
    result += text[end];
    from = end + 1;
  }
  return result + text.substr(from);
}

std::vector<std::string> distinct_tails(const std::vector<std::string>& paths) {
  std::vector<std::vector<std::string>> parts;
  parts.reserve(paths.size());
  for (const std::string& path : paths) parts.push_back(parts_of(path));
  std::vector<std::string> names;
  for (std::size_t i = 0; i < paths.size(); ++i) {
    const auto is_shared = [&](std::size_t count) {
      for (std::size_t j = 0; j < paths.size(); ++j) {
        if (j != i && parts[j] != parts[i] && tail(parts[j], count) == tail(parts[i], count)) {
          return true;
        }
      }
      return false;
    };
    std::size_t count = 1;
    while (count < parts[i].size() && is_shared(count)) ++count;
    const std::string name = tail(parts[i], count);
    const auto earlier =
        std::count(parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(i), parts[i]);
    names.push_back(earlier == 0 ? name : name + " (" + std::to_string(earlier + 1) + ")");
  }
  return names;
}

}  // namespace cubcal::report
