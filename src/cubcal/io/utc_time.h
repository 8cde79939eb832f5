#pragma once

#include <chrono>
#include <string>

namespace cubcal {

/// "2026-03-01T09:05:00Z": the time in UTC, to the second.
std::string utc_time(std::chrono::system_clock::time_point time = std::chrono::system_clock::now());

/// The time now, "2026-03-01T09:05:00.123Z".
std::string utc_time_with_milliseconds();

}  // namespace cubcal
