#include "cubcal_nn/serve/listening_socket.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <memory>

#include "cubcal/core/error.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

using Addresses = std::unique_ptr<::addrinfo, decltype(&::freeaddrinfo)>;

Addresses addresses_of(const std::string& address, std::uint16_t port) {
  ::addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICHOST | AI_NUMERICSERV;
  const std::string number = address == "localhost" ? "127.0.0.1" : address;
  ::addrinfo* found = nullptr;
  if (::getaddrinfo(number.c_str(), std::to_string(port).c_str(), &hints, &found) != 0) {
    throw ArgumentError("the address to listen at must be a number such as 127.0.0.1 or ::1, not " +
                        in_quotes(address));
  }
  return {found, ::freeaddrinfo};
}

}  // namespace

ListeningSocket::ListeningSocket(const std::string& address, std::uint16_t port) {
  const Addresses found = addresses_of(address, port);
  ipv6_ = found->ai_family == AF_INET6;
  descriptor_ = ::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int on = 1;
  const int backlog = 512;
  bool is_open = descriptor_ >= 0;
  if (is_open) ::setsockopt(descriptor_, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  is_open = is_open && ::bind(descriptor_, found->ai_addr, found->ai_addrlen) == 0 &&
            ::listen(descriptor_, backlog) == 0;
  ::sockaddr_storage bound{};
  ::socklen_t size = sizeof bound;
  is_open =
      is_open && ::getsockname(descriptor_, reinterpret_cast<::sockaddr*>(&bound), &size) == 0;
  if (!is_open) {
    const std::string reason = std::strerror(errno);
    if (descriptor_ >= 0) ::close(descriptor_);
    throw IoError("cannot listen at " + address + ", port " + std::to_string(port) + ": " + reason);
  }
  port_ = ntohs(ipv6_ ? reinterpret_cast<::sockaddr_in6*>(&bound)->sin6_port
                      : reinterpret_cast<::sockaddr_in*>(&bound)->sin_port);
}

ListeningSocket::~ListeningSocket() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

int ListeningSocket::take() {
  const int descriptor = descriptor_;
  descriptor_ = -1;
  return descriptor;
}

}  // namespace cubcal
