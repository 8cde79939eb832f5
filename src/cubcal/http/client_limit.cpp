#include "cubcal/http/client_limit.h"

namespace cubcal {

bool ClientLimit::enter(const std::string& client) {
  if (most_ == 0) return true;
  const std::lock_guard<std::mutex> lock(mutex_);
  std::size_t& count = under_way_[client];
  if (count >= most_) return false;
  ++count;
  return true;
}

void ClientLimit::leave(const std::string& client) {
  if (most_ == 0) return;
  const std::lock_guard<std::mutex> lock(mutex_);
  const auto found = under_way_.find(client);
  if (found == under_way_.end()) return;
  if (--found->second == 0) under_way_.erase(found);
}

}  // namespace cubcal
