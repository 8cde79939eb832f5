#include "cubcal/io/utc_time.h"

#include <ctime>

namespace cubcal {

std::string utc_time(std::chrono::system_clock::time_point time) {
  const std::time_t seconds = std::chrono::system_clock::to_time_t(time);
  std::tm parts{};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  const std::size_t size = std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, size};
}

std::string utc_time_with_milliseconds() {
  const auto now = std::chrono::system_clock::now();
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  const std::string thousandths = std::to_string(1000 + since.count() % 1000);
  std::string text = utc_time(now);
  return text.insert(text.size() - 1, "." + thousandths.substr(1));
}

}  // namespace cubcal
