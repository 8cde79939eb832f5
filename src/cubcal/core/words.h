#pragma once

#include <string>
#include <string_view>
#include <vector>

/// Text and the pieces it is made of. Letters are those of ASCII; other bytes stay as they are.
namespace cubcal {

inline bool starts_with(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

inline bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

/// A to Z become a to z.
std::string lower_case(std::string_view text);

/// Without blanks and tabs around it.
std::string_view trimmed(std::string_view text);

/// "a, b, c".
std::string joined(const std::vector<std::string>& words, std::string_view between = ", ");

/// "c" of "a/b/c", "a/b/c/" and "a/b/c/."; a path without a name, as "/" and "a/..", stays.
std::string last_part(const std::string& path);

}  // namespace cubcal
