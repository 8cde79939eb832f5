#pragma once

#include <string>

namespace cubcal {

/// The address of this machine by which it reaches another, as numbers: a machine's own name often
/// leads to its loopback, where no other machine finds it. Empty where there is no way.
std::string local_address_towards(const std::string& host, int port);

}  // namespace cubcal
