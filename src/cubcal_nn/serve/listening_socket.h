#pragma once

#include <cstdint>
#include <string>

namespace cubcal {

/// A socket that clients can connect to. Closed with the object unless taken.
class ListeningSocket {
 public:
  /// `address` is a number, such as 127.0.0.1, :: or 0.0.0.0, or "localhost"; port 0: any that is
  /// free. Throws ArgumentError for another address and IoError with the system's reason.
  ListeningSocket(const std::string& address, std::uint16_t port);
  ~ListeningSocket();
  ListeningSocket(const ListeningSocket&) = delete;
  ListeningSocket& operator=(const ListeningSocket&) = delete;

  std::uint16_t port() const { return port_; }
  bool is_ipv6() const { return ipv6_; }
  int descriptor() const { return descriptor_; }
  int take();

 private:
  int descriptor_ = -1;
  std::uint16_t port_ = 0;
  bool ipv6_ = false;
};

}  // namespace cubcal
