#pragma once

#include "cubcal/service/answer_line.h"
#include "cubcal/service/service.h"

/// What the files of the class Service share.
namespace cubcal {

struct Service::Call {
  const HttpRequest& request;
  RequestTarget target;
  std::vector<std::string> names = {};  ///< of the address, in place of the stars
  std::string id = {};                  ///< of the request, for log and audit
  ServiceClock::time_point start = ServiceClock::now();

  /// Of the query; empty where it is not there.
  std::string field(const char* name) const {
    const auto found = target.query.find(name);
    return found == target.query.end() ? std::string() : found->second;
  }
};

struct Service::Answered {
  ReceivedImage image;
  std::optional<Answer> answer;
};

/// JSON as a response.
HttpResponse json_response(const nlohmann::ordered_json& json, int status = 200);

/// A whole number of the query or a body. Throws HttpError 400.
std::size_t number_field(const std::string& name, const std::string& text);

}  // namespace cubcal
