#pragma once

#include <atomic>
#include <chrono>

namespace cubcal {

/// Waits until a request for an association (PS3.8, 9.3.2) lies whole in the socket's buffer, and
/// leaves it there. False where what comes is none, is larger than any sensible one, or takes too
/// long. So whoever reads it then is not held up by a client that sends it drop by drop.
bool wait_for_association_request(int socket, std::chrono::seconds longest,
                                  const std::atomic<bool>& stopping);

}  // namespace cubcal
