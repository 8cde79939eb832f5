#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace cubcal {

/// How many requests of one client are under way. For any number of threads.
class ClientLimit {
 public:
  /// 0: without a limit.
  explicit ClientLimit(std::size_t most) : most_(most) {}

  /// False where the client has as many as it may; then there is nothing to leave.
  bool enter(const std::string& client);
  void leave(const std::string& client);

 private:
  std::size_t most_;
  std::mutex mutex_;
  std::map<std::string, std::size_t> under_way_;
};

}  // namespace cubcal
