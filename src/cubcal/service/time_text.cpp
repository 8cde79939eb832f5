#include "cubcal/service/time_text.h"

#include <array>
#include <chrono>
#include <cstdio>
#include <ctime>

namespace cubcal {

std::string utc_time_text() {
  using std::chrono::system_clock;
  const system_clock::time_point now = system_clock::now();
  const std::time_t seconds = system_clock::to_time_t(now);
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  std::array<char, 32> date{};
  const std::size_t length = std::strftime(date.data(), date.size(), "%Y-%m-%dT%H:%M:%S", &parts);
  std::array<char, 8> rest{};
  std::snprintf(rest.data(), rest.size(), ".%03dZ", static_cast<int>(since.count() % 1000));
  return std::string(date.data(), length) + rest.data();
}

}  // namespace cubcal
