#include "cubcal/core/path_part.h"

#include <algorithm>

namespace cubcal {

bool is_path_part(const std::string& name) {
  constexpr std::size_t longest = 100;
  if (name.empty() || name.size() > longest || name == "." || name == "..") return false;
  return std::none_of(name.begin(), name.end(), [](unsigned char letter) {
    return letter == '/' || letter < 0x20 || letter == 0x7f;
  });
}

}  // namespace cubcal
