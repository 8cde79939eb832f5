#pragma once

#include <cstddef>
#include <string>

namespace cubcal {

/// "1 image", "2 images"; with `many` "2 passes". Pages have their own, with thousands apart.
inline std::string counted(std::size_t count, const std::string& one,
                           const std::string& many = "") {
  return std::to_string(count) + " " + (count == 1 ? one : many.empty() ? one + "s" : many);
}

}  // namespace cubcal
