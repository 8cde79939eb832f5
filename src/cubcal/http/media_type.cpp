#include "cubcal/http/media_type.h"

#include <algorithm>

#include "cubcal/core/words.h"

namespace cubcal {

namespace {

/// Takes the value of a parameter, up to the semicolon after it, off the front.
std::string take_value(std::string_view& rest) {
  std::string value;
  if (rest.empty() || rest.front() != '"') {
    const std::size_t end = std::min(rest.find(';'), rest.size());
    value = std::string(trimmed(rest.substr(0, end)));
    rest.remove_prefix(end);
    return value;
  }
  std::size_t i = 1;
  for (; i < rest.size() && rest[i] != '"'; ++i) {
    if (rest[i] == '\\' && i + 1 < rest.size()) ++i;
    value += rest[i];
  }
  rest.remove_prefix(std::min(rest.find(';', std::min(i, rest.size())), rest.size()));
  return value;
}

}  // namespace

MediaType parse_media_type(std::string_view value) {
  MediaType type;
  const std::size_t end = std::min(value.find(';'), value.size());
  type.name = lower_case(trimmed(value.substr(0, end)));
  std::string_view rest = value.substr(end);
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the semicolon
    const std::size_t sign = rest.find_first_of("=;");
    if (sign == std::string_view::npos) break;
    const std::string name = lower_case(trimmed(rest.substr(0, sign)));
    const bool has_value = rest[sign] == '=';
    rest.remove_prefix(sign);
    if (!has_value) continue;
    rest.remove_prefix(1);
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    std::string text = take_value(rest);
    if (!name.empty()) type.parameters.emplace(name, std::move(text));
  }
  return type;
}

}  // namespace cubcal
