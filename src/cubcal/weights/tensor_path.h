#pragma once

#include <string>
#include <vector>

namespace cubcal {

/// Whether a tensor's name is one of the paths or lies below it: "fc.0.weight" lies under "fc".
inline bool lies_under(const std::string& name, const std::vector<std::string>& paths) {
  for (const std::string& path : paths) {
    const bool starts = name.compare(0, path.size(), path) == 0;
    if (starts && (name.size() == path.size() || name[path.size()] == '.')) return true;
  }
  return false;
}

}  // namespace cubcal
