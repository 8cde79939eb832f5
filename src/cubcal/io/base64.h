#pragma once

#include <string>
#include <string_view>

namespace cubcal {

/// RFC 4648, section 4, with padding.
std::string base64(std::string_view bytes);

/// The bytes of such a text; padding may be left out, nothing else may stand in it. Throws
/// DataError.
std::string base64_bytes(std::string_view text);

}  // namespace cubcal
