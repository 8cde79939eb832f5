#pragma once

#include <cstdint>
#include <optional>

#include "cubcal/http/http_message.h"

namespace cubcal {

/// Throws HttpError 400 for headers that two readers could understand differently, and where one
/// reader's request would end another's begins: Content-Length with Transfer-Encoding, several
/// lengths, a length that is not a number, an encoding other than chunked, no or several Host, a
/// name that is not a token.
void check_framing(const HttpHeaders& headers);

/// Of Content-Length; none where it is not said. Throws as check_framing does.
std::optional<std::uint64_t> stated_length(const HttpHeaders& headers);

/// A page of another site that a browser of this machine shows must not use the server: throws
/// HttpError 403 where Origin names another host than Host does and, with `only_this_machine`,
/// where Host names neither localhost nor a loopback address (as after DNS rebinding).
void check_origin(const HttpHeaders& headers, bool only_this_machine);

/// "example.org" of "example.org:8080", "::1" of "[::1]:8080".
std::string host_without_port(std::string_view host);

/// "localhost", 127.0.0.0/8 or ::1.
bool is_loopback_host(std::string_view host);

}  // namespace cubcal
