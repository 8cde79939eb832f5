#pragma once

#include <map>
#include <string>
#include <string_view>

namespace cubcal {

/// The value of Content-Type, Content-Disposition and their like (RFC 9110, section 8.3):
/// `multipart/form-data; boundary="x"`.
struct MediaType {
  std::string name;                               ///< in lower case, before the first semicolon
  std::map<std::string, std::string> parameters;  ///< names in lower case, values without quotes
};

/// What is not a parameter is passed over; of equal names the first counts.
MediaType parse_media_type(std::string_view value);

}  // namespace cubcal
