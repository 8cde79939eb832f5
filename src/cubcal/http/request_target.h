#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal {

/// The path and query of a request: "/v1/models/skin?x=1".
struct RequestTarget {
  std::vector<std::string> segments;         ///< of the path, decoded: {"v1", "models", "skin"}
  std::map<std::string, std::string> query;  ///< decoded; of equal names the last counts
};

/// Throws HttpError 400 for a target that does not start with a slash, an escape that is none, a
/// zero byte, more than 16 segments or 32 fields.
RequestTarget parse_target(std::string_view target);

}  // namespace cubcal
