#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "cubcal/service/service.h"

namespace cubcal {

struct HttpServerOptions {
  std::string address = "127.0.0.1";
  std::uint16_t port = 8080;     ///< 0: any that is free
  std::string certificate = {};  ///< PEM text of TLS; empty: without
  std::string key = {};          ///< PEM text
  std::size_t connections = 1024;
  std::size_t max_body = std::size_t{64} << 20;   ///< bytes of one request
  std::size_t max_memory = std::size_t{1} << 30;  ///< bytes of all bodies under way
  std::chrono::seconds idle{30};                  ///< a connection may say nothing
  std::chrono::seconds receive{60};               ///< a request may take to arrive
};

/// Whether this build has libmicrohttpd; without it HttpServer throws ArgumentError.
bool has_http_server();

/// Hands what clients send to the service, one thread for each connection.
class HttpServer {
 public:
  /// Listens when it returns. The service must outlive the server. Throws ArgumentError or IoError.
  HttpServer(const HttpServerOptions& options, Service& service);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  std::uint16_t port() const;
  /// Takes no more connections, and returns once every request that had begun is answered and its
  /// answer sent, or after `longest`. How many were not.
  std::size_t stop(std::chrono::milliseconds longest);

 private:
  class Room;
  std::unique_ptr<Room> room_;
};

}  // namespace cubcal
