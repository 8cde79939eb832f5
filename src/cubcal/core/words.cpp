#include "cubcal/core/words.h"

#include <filesystem>

namespace cubcal {

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& letter : lower) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return lower;
}

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) text += between;
    text += words[i];
  }
  return text;
}

std::string last_part(const std::string& path) {
  std::filesystem::path whole = std::filesystem::path(path).lexically_normal();
  if (!whole.has_filename() && whole.has_parent_path()) whole = whole.parent_path();
  const std::string name = whole.filename().string();
  return name.empty() || name == "." ? path : name;
}

}  // namespace cubcal
