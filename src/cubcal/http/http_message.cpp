#include "cubcal/http/http_message.h"

namespace cubcal {

std::optional<std::string> header_of(const HttpHeaders& headers, std::string_view name) {
  for (const auto& [key, value] : headers) {
    if (key == name) return value;
  }
  return std::nullopt;
}

}  // namespace cubcal
