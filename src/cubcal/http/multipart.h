#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal {

/// A part of a multipart body (RFC 7578). A view of the body.
struct BodyPart {
  std::string name;
  std::string file_name;  ///< empty where it is not a file
  std::string type;       ///< media type in lower case; empty: not said
  std::string_view content;
};

/// The parts between the boundaries. Throws HttpError 400 for a body that does not begin or end as
/// it must, for a part whose headers do not end, and for more than `most` parts.
std::vector<BodyPart> multipart_parts(std::string_view body, const std::string& boundary,
                                      std::size_t most);

}  // namespace cubcal
