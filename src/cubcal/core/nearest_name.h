#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cubcal {

/// The name that takes the fewest insertions, deletions and replacements of letters to make from
/// `wanted`; empty where even that one is more than half of it away.
std::string nearest_name(const std::string& wanted, const std::vector<std::string>& names);

/// So many of them at most, the nearest first, each no further than that.
std::vector<std::string> nearest_names(const std::string& wanted,
                                       const std::vector<std::string>& names, std::size_t most);

}  // namespace cubcal
