#include "cubcal_nn/ranks/local_address.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>

namespace cubcal {

namespace {

/// A datagram socket that is connected sends nothing, but has an address of its own.
std::string own_address(const ::addrinfo& target) {
  const int descriptor = ::socket(target.ai_family, SOCK_DGRAM | SOCK_CLOEXEC, target.ai_protocol);
  if (descriptor < 0) return {};
  ::sockaddr_storage own{};
  ::socklen_t length = sizeof own;
  char text[NI_MAXHOST] = "";
  const bool known = ::connect(descriptor, target.ai_addr, target.ai_addrlen) == 0 &&
                     ::getsockname(descriptor, reinterpret_cast<::sockaddr*>(&own), &length) == 0 &&
                     ::getnameinfo(reinterpret_cast<::sockaddr*>(&own), length, text, sizeof text,
                                   nullptr, 0, NI_NUMERICHOST) == 0;
  ::close(descriptor);
  return known ? text : std::string();
}

}  // namespace

std::string local_address_towards(const std::string& host, int port) {
  ::addrinfo wanted{};
  wanted.ai_socktype = SOCK_DGRAM;
  ::addrinfo* found = nullptr;
  if (::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &wanted, &found) != 0) return {};
  const std::unique_ptr<::addrinfo, void (*)(::addrinfo*)> held(found, ::freeaddrinfo);
  for (const ::addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const std::string address = own_address(*each);
    if (!address.empty()) return address;
  }
  return {};
}

}  // namespace cubcal
