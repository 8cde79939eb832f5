#include "cubcal/inspection/wording.h"

#include <cmath>

namespace cubcal {

std::string listed(const std::vector<std::string>& names, const char* conjunction,
                   std::size_t most) {
  std::vector<std::string> shown = names;
  if (names.size() > most) {
    shown.resize(most - 1);
    shown.push_back(std::to_string(names.size() - shown.size()) + " more");
  }
  std::string text;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    if (i > 0) text += i + 1 == shown.size() ? " " + std::string(conjunction) + " " : ", ";
    text += shown[i];
  }
  return text;
}

std::string whole_percent(double share) {
  return std::to_string(static_cast<int>(std::lround(100 * share))) + "%";
}

}  // namespace cubcal
