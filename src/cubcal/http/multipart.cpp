#include "cubcal/http/multipart.h"

#include "cubcal/core/words.h"
#include "cubcal/http/http_error.h"
#include "cubcal/http/media_type.h"

namespace cubcal {

namespace {

constexpr std::size_t kLongestBoundary = 70;  // RFC 2046
constexpr std::size_t kLongestHead = 8192;

HttpError broken(const char* what) {
  return HttpError(400, std::string("the multipart body is broken: ") + what);
}

void read_head(std::string_view head, BodyPart& part) {
  while (!head.empty()) {
    const std::size_t end = std::min(head.find("\r\n"), head.size());
    const std::string_view line = head.substr(0, end);
    head.remove_prefix(std::min(end + 2, head.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    const std::string name = lower_case(trimmed(line.substr(0, colon)));
    const MediaType value = parse_media_type(line.substr(colon + 1));
    if (name == "content-type") part.type = value.name;
    if (name != "content-disposition") continue;
    const auto text = [&](const char* key) {
      const auto found = value.parameters.find(key);
      return found == value.parameters.end() ? std::string() : found->second;
    };
    part.name = text("name");
    part.file_name = text("filename");
  }
}

}  // namespace

std::vector<BodyPart> multipart_parts(std::string_view body, const std::string& boundary,
                                      std::size_t most) {
  if (boundary.empty() || boundary.size() > kLongestBoundary) {
    throw HttpError(400, "a multipart body needs a boundary of 1 to 70 characters");
  }
  const std::string line = "--" + boundary;
  const std::string delimiter = "\r\n" + line;
  // What stands before the first boundary is no part.
  std::size_t at = body.substr(0, line.size()) == line ? 0 : body.find(delimiter);
  if (at == std::string_view::npos) throw broken("its boundary does not occur");
  at += at == 0 ? line.size() : delimiter.size();
  std::vector<BodyPart> parts;
  while (true) {
    body.remove_prefix(at);
    if (body.substr(0, 2) == "--") return parts;
    const std::size_t line_end = body.find("\r\n");
    if (line_end == std::string_view::npos || !trimmed(body.substr(0, line_end)).empty()) {
      throw broken("a boundary is not followed by a new line");
    }
    body.remove_prefix(line_end);
    const std::size_t head_end = body.substr(0, kLongestHead).find("\r\n\r\n");
    if (head_end == std::string_view::npos) throw broken("a part's headers do not end");
    const std::size_t content = head_end + 4;
    const std::size_t end = body.find(delimiter, content - 2);
    if (end == std::string_view::npos) throw broken("it ends within a part");
    if (parts.size() == most) {
      throw HttpError(413, "the body has more than " + std::to_string(most) + " parts");
    }
    BodyPart part;
    read_head(body.substr(0, head_end), part);
    if (end > content) part.content = body.substr(content, end - content);
    parts.push_back(std::move(part));
    at = end + delimiter.size();
  }
}

}  // namespace cubcal
