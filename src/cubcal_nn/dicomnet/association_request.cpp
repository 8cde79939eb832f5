#include "cubcal_nn/dicomnet/association_request.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstddef>
#include <thread>
#include <vector>

namespace cubcal {

bool wait_for_association_request(int socket, std::chrono::seconds longest,
                                  const std::atomic<bool>& stopping) {
  constexpr std::size_t kHead = 6;
  constexpr std::size_t kLargest = 100'000;
  constexpr std::chrono::milliseconds kNap{5};
  const int buffer = 2 * static_cast<int>(kLargest);
  ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
  const int on = 1;  // responses are small: held back, each would cost 40 ms
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  std::vector<unsigned char> bytes(kHead);
  const auto end = std::chrono::steady_clock::now() + longest;
  while (!stopping && std::chrono::steady_clock::now() < end) {
    const ::ssize_t got =
        ::recv(socket, bytes.data(), bytes.size(), MSG_PEEK | MSG_DONTWAIT);  // NOLINT
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) return false;
    if (got > 0 && bytes[0] != 1) return false;  // no A-ASSOCIATE-RQ
    const auto count = static_cast<std::size_t>(got < 0 ? 0 : got);
    if (count == bytes.size() && count > kHead) return true;
    if (count == kHead) {
      std::size_t length = 0;
      for (std::size_t i = 2; i < kHead; ++i) length = length << 8U | bytes[i];
      if (length == 0 || length > kLargest) return false;
      bytes.resize(kHead + length);
      continue;
    }
    std::this_thread::sleep_for(kNap);
  }
  return false;
}

}  // namespace cubcal
