#include "cubcal/core/error.h"
#include "cubcal_nn/serve/http_server.h"

// Takes the place of http_server.cpp where libmicrohttpd was not found.

namespace cubcal {

class HttpServer::Room {};

bool has_http_server() { return false; }

HttpServer::HttpServer(const HttpServerOptions&, Service&) {
  throw ArgumentError("cubcal was built without libmicrohttpd and cannot serve");
}
HttpServer::~HttpServer() = default;
std::uint16_t HttpServer::port() const { return 0; }
std::size_t HttpServer::stop(std::chrono::milliseconds) { return 0; }

}  // namespace cubcal
