#include "cubcal/http/request_check.h"

#include <algorithm>

#include "cubcal/core/parse_number.h"
#include "cubcal/core/words.h"
#include "cubcal/http/http_error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

std::size_t count_of(const HttpHeaders& headers, std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      headers.begin(), headers.end(), [&](const auto& each) { return each.first == name; }));
}

/// A name by RFC 9110, 5.6.2. "Transfer-Encoding " is the header for one reader and none for the
/// next.
bool is_token(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), [](char each) {
    const char lower = static_cast<char>(each | 0x20);
    return (each >= '0' && each <= '9') || (lower >= 'a' && lower <= 'z' && (each & 0x80) == 0) ||
           std::string_view("!#$%&'*+-.^_`|~").find(each) != std::string_view::npos;
  });
}

}  // namespace

std::optional<std::uint64_t> stated_length(const HttpHeaders& headers) {
  const std::optional<std::string> text = header_of(headers, "content-length");
  if (!text) return std::nullopt;
  constexpr std::size_t kMostDigits = 18;
  const std::optional<std::uint64_t> length = parse_whole<std::uint64_t>(*text);
  if (!length || text->size() > kMostDigits || count_of(headers, "content-length") > 1) {
    throw HttpError(400, "Content-Length must be one whole number");
  }
  return length;
}

void check_framing(const HttpHeaders& headers) {
  for (const auto& each : headers) {
    if (is_token(each.first)) continue;
    throw HttpError(400,
                    "the name of a header has letters, digits and !#$%&'*+-.^_`|~ alone, not " +
                        in_quotes(each.first));
  }
  const bool has_length = stated_length(headers).has_value();
  const std::optional<std::string> encoding = header_of(headers, "transfer-encoding");
  if (has_length && encoding) {
    throw HttpError(400, "a request has either Content-Length or Transfer-Encoding, not both");
  }
  if (encoding &&
      (count_of(headers, "transfer-encoding") > 1 || lower_case(trimmed(*encoding)) != "chunked")) {
    throw HttpError(400, "Transfer-Encoding must be chunked");
  }
  if (count_of(headers, "host") != 1) throw HttpError(400, "a request needs one Host header");
}

std::string host_without_port(std::string_view host) {
  if (!host.empty() && host.front() == '[') {
    return lower_case(host.substr(1, std::min(host.find(']'), host.size()) - 1));
  }
  return lower_case(host.substr(0, host.find(':')));
}

bool is_loopback_host(std::string_view host) {
  if (host == "localhost" || host == "::1") return true;
  return host.substr(0, 4) == "127." &&
         host.find_first_not_of("0123456789.") == std::string_view::npos;
}

void check_origin(const HttpHeaders& headers, bool only_this_machine) {
  const std::string host = header_of(headers, "host").value_or("");
  if (only_this_machine && !is_loopback_host(host_without_port(host))) {
    throw HttpError(403, "this server answers to localhost alone, not to the name in Host");
  }
  const std::optional<std::string> origin = header_of(headers, "origin");
  if (!origin) return;
  const std::size_t scheme = origin->find("://");
  const std::string other = scheme == std::string::npos ? "" : origin->substr(scheme + 3);
  if (lower_case(other) != lower_case(host)) {
    throw HttpError(403, "pages of other sites may not use this server");
  }
}

}  // namespace cubcal
