#include "cubcal_nn/serve/http_server.h"

#include <arpa/inet.h>
#include <microhttpd.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <new>
#include <thread>

#include "cubcal/core/error.h"
#include "cubcal/core/words.h"
#include "cubcal/http/http_error.h"
#include "cubcal/http/request_check.h"
#include "cubcal_nn/serve/listening_socket.h"

namespace cubcal {

namespace {

using ServerClock = std::chrono::steady_clock;

/// Of GnuTLS: TLS 1.2 and later, without what RFC 8996 calls broken.
constexpr const char* kTlsPriorities = "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1";

std::string address_text(MHD_Connection* connection) {
  const MHD_ConnectionInfo* info =
      MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
  if (info == nullptr || info->client_addr == nullptr) return "unknown";
  const ::sockaddr* address = info->client_addr;
  const void* number =
      address->sa_family == AF_INET6
          ? static_cast<const void*>(&reinterpret_cast<const ::sockaddr_in6*>(address)->sin6_addr)
          : &reinterpret_cast<const ::sockaddr_in*>(address)->sin_addr;
  std::array<char, INET6_ADDRSTRLEN> text{};
  const char* written = ::inet_ntop(address->sa_family, number, text.data(), text.size());
  return written == nullptr ? "unknown" : written;
}

/// Sizes count: a name or value may hold a zero byte.
MHD_Result add_header(void* headers, MHD_ValueKind, const char* name, std::size_t name_size,
                      const char* value, std::size_t value_size) {
  static_cast<HttpHeaders*>(headers)->emplace_back(
      lower_case({name, name_size}), value == nullptr ? "" : std::string(value, value_size));
  return MHD_YES;
}

void ignore_messages(void*, const char*, va_list) {}

MHD_Result send_response(MHD_Connection* connection, const HttpResponse& response, bool close) {
  // The library copies the bytes and does not change them.
  MHD_Response* sent = MHD_create_response_from_buffer(
      response.body.size(), const_cast<char*>(response.body.data()), MHD_RESPMEM_MUST_COPY);
  if (sent == nullptr) return MHD_NO;
  MHD_add_response_header(sent, MHD_HTTP_HEADER_CONTENT_TYPE, response.type.c_str());
  for (const auto& [name, value] : response.headers) {
    MHD_add_response_header(sent, name.c_str(), value.c_str());
  }
  if (close) MHD_add_response_header(sent, MHD_HTTP_HEADER_CONNECTION, "close");
  const MHD_Result result =
      MHD_queue_response(connection, static_cast<unsigned>(response.status), sent);
  MHD_destroy_response(sent);
  return result;
}

}  // namespace

class HttpServer::Room {
 public:
  Room(const HttpServerOptions& options, Service& service)
      : options_(options), service_(service), socket_(options.address, options.port) {
    unsigned flags = MHD_USE_THREAD_PER_CONNECTION | MHD_USE_INTERNAL_POLLING_THREAD |
                     MHD_USE_POLL | MHD_USE_ITC | MHD_USE_ERROR_LOG;
    if (socket_.is_ipv6()) flags |= MHD_USE_IPv6;
    std::vector<MHD_OptionItem> tls;
    if (!options_.certificate.empty()) {
      flags |= MHD_USE_TLS;
      tls.push_back({MHD_OPTION_HTTPS_MEM_CERT, 0, options_.certificate.data()});
      tls.push_back({MHD_OPTION_HTTPS_MEM_KEY, 0, options_.key.data()});
      // The library reads the text and does not change it.
      tls.push_back({MHD_OPTION_HTTPS_PRIORITIES, 0, const_cast<char*>(kTlsPriorities)});
    }
    tls.push_back({MHD_OPTION_END, 0, nullptr});
    daemon_ = MHD_start_daemon(
        flags, 0, nullptr, nullptr, &Room::on_request, this,    //
        MHD_OPTION_EXTERNAL_LOGGER, &ignore_messages, nullptr,  //
        MHD_OPTION_LISTEN_SOCKET, socket_.descriptor(),         //
        MHD_OPTION_CONNECTION_LIMIT, static_cast<unsigned>(options_.connections),
        MHD_OPTION_CONNECTION_TIMEOUT, static_cast<unsigned>(options_.idle.count()),
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, std::size_t{32} << 10,  //
        MHD_OPTION_STRICT_FOR_CLIENT, 1,                            //
        MHD_OPTION_URI_LOG_CALLBACK, &Room::on_address, this,       //
        MHD_OPTION_NOTIFY_COMPLETED, &Room::on_completed, this,     //
        MHD_OPTION_ARRAY, tls.data(), MHD_OPTION_END);
    if (daemon_ == nullptr) {
      throw IoError(options_.certificate.empty()
                        ? "the HTTP server could not be started"
                        : "the HTTPS server could not be started: certificate and key must be PEM "
                          "and belong together, and libmicrohttpd must have TLS");
    }
    port_ = socket_.port();
    socket_.take();  // the daemon's from now on
  }

  ~Room() { end(); }
  Room(const Room&) = delete;
  Room& operator=(const Room&) = delete;

  std::uint16_t port() const { return port_; }

  std::size_t stop(std::chrono::milliseconds longest) {
    stopping_ = true;
    const MHD_socket listening = MHD_quiesce_daemon(daemon_);
    if (listening != MHD_INVALID_SOCKET) ::close(listening);
    const ServerClock::time_point end_of_patience = ServerClock::now() + longest;
    while (under_way_ > 0 && ServerClock::now() < end_of_patience) {
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    const std::size_t left = under_way_;
    end();
    return left;
  }

 private:
  /// A request while it arrives and is answered.
  struct Exchange {
    HttpRequest request;
    ServerClock::time_point start = ServerClock::now();
    bool has_head = false;
    bool has_begun = false;               ///< the service must be told of its end
    std::size_t reserved = 0;             ///< bytes of the memory for bodies
    std::size_t received = 0;             ///< bytes of the body, dropped ones too
    std::optional<HttpResponse> refusal;  ///< where the rest of the body is of no use
  };

  static void* on_address(void*, const char* target, MHD_Connection*) {
    auto* exchange = new (std::nothrow) Exchange;
    if (exchange != nullptr) exchange->request.target = target;
    return exchange;
  }

  static void on_completed(void* self, MHD_Connection*, void** state, MHD_RequestTerminationCode) {
    auto* exchange = static_cast<Exchange*>(*state);
    if (exchange == nullptr) return;
    Room& room = *static_cast<Room*>(self);
    room.body_bytes_ -= exchange->reserved;
    if (exchange->has_begun) {
      room.service_.end(exchange->request);
      --room.under_way_;
    }
    delete exchange;
    *state = nullptr;
  }

  static MHD_Result on_request(void* self, MHD_Connection* connection, const char*,
                               const char* method, const char*, const char* data, std::size_t* size,
                               void** state) {
    auto* exchange = static_cast<Exchange*>(*state);
    if (exchange == nullptr) return MHD_NO;
    try {
      Room& room = *static_cast<Room*>(self);
      if (!exchange->has_head) {
        exchange->request.method = method;
        return room.begin(connection, *exchange);
      }
      if (*size > 0) {
        const MHD_Result result = room.receive(*exchange, data, *size);
        *size = 0;
        return result;
      }
      return room.answer(connection, *exchange);
    } catch (const std::bad_alloc&) {
      return MHD_NO;
    }
  }

  MHD_Result begin(MHD_Connection* connection, Exchange& exchange) {
    exchange.has_head = true;
    exchange.request.client = address_text(connection);
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, &add_header,
                                &exchange.request.headers);
    ++under_way_;
    if (std::optional<HttpResponse> refusal = service_.begin(exchange.request)) {
      --under_way_;
      return send_response(connection, *refusal, true);
    }
    exchange.has_begun = true;
    const std::uint64_t length = stated_length(exchange.request.headers).value_or(0);
    if (length > options_.max_body) return send_response(connection, too_large(), true);
    return MHD_YES;
  }

  HttpResponse too_large() const {
    return error_response(
        413, "a request may have at most " + std::to_string(options_.max_body) + " bytes");
  }

  MHD_Result receive(Exchange& exchange, const char* data, std::size_t size) {
    exchange.received += size;
    const bool is_slow = ServerClock::now() - exchange.start > options_.receive;
    if (is_slow || exchange.received > 2 * options_.max_body) return MHD_NO;  // cuts it off
    if (exchange.refusal) return MHD_YES;
    if (exchange.received > options_.max_body) {
      exchange.refusal = too_large();
    } else if (body_bytes_ + size > options_.max_memory) {
      exchange.refusal =
          error_response(503, "too many large requests are under way", {{"Retry-After", "1"}});
    }
    if (exchange.refusal) {
      body_bytes_ -= exchange.reserved;
      exchange.reserved = 0;
      exchange.request.body = {};
      return MHD_YES;
    }
    body_bytes_ += size;
    exchange.reserved += size;
    exchange.request.body.append(data, size);
    return MHD_YES;
  }

  MHD_Result answer(MHD_Connection* connection, Exchange& exchange) {
    if (exchange.refusal) return send_response(connection, *exchange.refusal, true);
    // While the model works the connection is silent, and that is not the client's fault. Setting
    // the limit from none starts its time anew.
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT, 0U);
    const HttpResponse response = service_.respond(exchange.request);
    MHD_set_connection_option(connection, MHD_CONNECTION_OPTION_TIMEOUT,
                              static_cast<unsigned>(options_.idle.count()));
    return send_response(connection, response, stopping_);
  }

  void end() {
    if (daemon_ == nullptr) return;
    MHD_stop_daemon(daemon_);
    daemon_ = nullptr;
  }

  HttpServerOptions options_;
  Service& service_;
  ListeningSocket socket_;
  std::uint16_t port_ = 0;
  std::atomic<bool> stopping_{false};
  std::atomic<std::size_t> under_way_{0};
  std::atomic<std::size_t> body_bytes_{0};
  MHD_Daemon* daemon_ = nullptr;
};

bool has_http_server() { return true; }

HttpServer::HttpServer(const HttpServerOptions& options, Service& service)
    : room_(std::make_unique<Room>(options, service)) {}
HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return room_->port(); }
std::size_t HttpServer::stop(std::chrono::milliseconds longest) { return room_->stop(longest); }

}  // namespace cubcal
