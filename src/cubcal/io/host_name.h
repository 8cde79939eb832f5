#pragma once

#include <string>

namespace cubcal {

/// What this machine calls itself; empty where it does not say.
std::string host_name();

}  // namespace cubcal
