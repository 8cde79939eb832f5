#include "cubcal/core/class_difference.h"

#include <algorithm>

namespace cubcal {

namespace {

std::string few_names(const std::vector<std::string>& names) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t k = 0; k < std::min(kShown, names.size()); ++k) {
    text += (k > 0 ? ", " : "") + names[k];
  }
  return "(" + text + (names.size() > kShown ? ", …)" : ")");
}

}  // namespace

std::optional<std::string> class_difference(const std::vector<std::string>& first,
                                            const std::vector<std::string>& second) {
  if (first.size() != second.size()) {
    return std::to_string(first.size()) + " classes " + few_names(first) + " against " +
           std::to_string(second.size()) + " " + few_names(second);
  }
  const auto [here, there] = std::mismatch(first.begin(), first.end(), second.begin());
  if (here == first.end()) return std::nullopt;
  return "class " + std::to_string(here - first.begin()) + " is '" + *here + "' against '" +
         *there + "'";
}

}  // namespace cubcal
