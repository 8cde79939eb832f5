#pragma once

#include <string>

#include "cubcal/error.h"
#include "cubcal/http/http_message.h"

namespace cubcal {

/// A request that is answered with a status other than 200. The message is one sentence for whoever
/// sent it.
class HttpError : public Error {
 public:
  HttpError(int status, const std::string& sentence, HttpHeaders headers = {})
      : Error(sentence), status_(status), headers_(std::move(headers)) {}

  int status() const { return status_; }
  const HttpHeaders& headers() const { return headers_; }

 private:
  int status_;
  HttpHeaders headers_;
};

/// {"error": "..."} with the status, as both protocols have it.
HttpResponse error_response(int status, const std::string& sentence, HttpHeaders headers = {});

}  // namespace cubcal
