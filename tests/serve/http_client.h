#pragma once

#include <cstdint>
#include <string>

#include "cubcal/http/http_message.h"

namespace cubcal::test {

/// A connection to a server on this machine, for what well-behaved clients would never send.
class HttpClient {
 public:
  explicit HttpClient(std::uint16_t port);
  ~HttpClient();
  HttpClient(const HttpClient&) = delete;
  HttpClient& operator=(const HttpClient&) = delete;

  /// False where the server has closed the connection.
  bool send(const std::string& bytes);
  /// The next response; status 0 where the server closed the connection instead.
  HttpResponse receive();
  /// Both, with Host and Content-Length added.
  HttpResponse ask(const std::string& method, const std::string& target,
                   const std::string& body = "", const std::string& headers = "");

 private:
  int socket_ = -1;
  std::string read_;  ///< but not used yet
};

}  // namespace cubcal::test
