#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Requests and responses as the routes see them. Nothing here knows a socket.
namespace cubcal {

/// Names in lower case, in the order in which they came.
using HttpHeaders = std::vector<std::pair<std::string, std::string>>;

struct HttpRequest {
  std::string method;
  std::string target;  ///< as it was sent: "/v1/predict?model=skin"
  HttpHeaders headers;
  std::string body;
  std::string client;  ///< address, for limits
};

struct HttpResponse {
  int status = 200;
  std::string type = "application/json";
  std::string body;
  HttpHeaders headers = {};  ///< beside Content-Type and Content-Length
};

/// The first value of a header; `name` in lower case.
std::optional<std::string> header_of(const HttpHeaders& headers, std::string_view name);

}  // namespace cubcal
