#include "cubcal/dataset/open_options.h"

#include <utility>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr std::pair<const char*, char> kSeparatorNames[] = {
    {"auto", '\0'}, {"comma", ','}, {"semicolon", ';'}, {"tab", '\t'}, {"bar", '|'},
    {",", ','},     {";", ';'},     {"\t", '\t'},       {"\\t", '\t'}, {"|", '|'}};

}  // namespace

bool ManifestOptions::is_set() const {
  return !file_column.empty() || !label_column.empty() || !group_column.empty() ||
         !split_column.empty() || separator != '\0' || encoding != TextEncoding::kAuto;
}

char parse_separator(const std::string& text) {
  const std::string wanted = lower_case(text);
  for (const auto& [name, separator] : kSeparatorNames) {
    if (wanted == name) return separator;
  }
  throw ArgumentError("the separator " + in_quotes(text) +
                      " is not known: auto, comma, semicolon, tab and bar are");
}

const char* separator_name(char separator) {
  for (const auto& [name, known] : kSeparatorNames) {
    if (separator == known) return name;
  }
  return "";
}

}  // namespace cubcal
