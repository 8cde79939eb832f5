#pragma once

#include <string>

namespace cubcal {

/// The time now, "2025-01-31T23:59:59.123Z".
std::string utc_time_text();

}  // namespace cubcal
