#include "cubcal/http/request_target.h"

#include "cubcal/http/http_error.h"

namespace cubcal {

namespace {

constexpr std::size_t kMostSegments = 16;
constexpr std::size_t kMostFields = 32;

int hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  const char lower = static_cast<char>(digit | 0x20);
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

std::string unescaped(std::string_view text, bool is_query) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    char character = text[i];
    if (character == '+' && is_query) character = ' ';
    if (character == '%') {
      const int high = i + 2 < text.size() ? hex_digit(text[i + 1]) : -1;
      const int low = i + 2 < text.size() ? hex_digit(text[i + 2]) : -1;
      if (high < 0 || low < 0) throw HttpError(400, "the address has a '%' that is not an escape");
      character = static_cast<char>(high * 16 + low);
      i += 2;
    }
    if (character == '\0') throw HttpError(400, "the address has a zero byte");
    plain += character;
  }
  return plain;
}

}  // namespace

RequestTarget parse_target(std::string_view target) {
  if (target.empty() || target.front() != '/') {
    throw HttpError(400, "the address of a request must start with '/'");
  }
  RequestTarget result;
  const std::size_t mark = std::min(target.find('?'), target.size());
  std::string_view path = target.substr(0, mark);
  std::string_view query = target.substr(std::min(mark + 1, target.size()));
  while (!path.empty()) {
    path.remove_prefix(1);
    const std::size_t end = std::min(path.find('/'), path.size());
    if (end > 0) result.segments.push_back(unescaped(path.substr(0, end), false));
    if (result.segments.size() > kMostSegments) throw HttpError(400, "the address is too long");
    path.remove_prefix(end);
  }
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    const std::string_view field = query.substr(0, end);
    query.remove_prefix(std::min(end + 1, query.size()));
    const std::size_t sign = std::min(field.find('='), field.size());
    const std::string name = unescaped(field.substr(0, sign), true);
    if (name.empty()) continue;
    result.query[name] = unescaped(field.substr(std::min(sign + 1, field.size())), true);
    if (result.query.size() > kMostFields) throw HttpError(400, "the address has too many fields");
  }
  return result;
}

}  // namespace cubcal
