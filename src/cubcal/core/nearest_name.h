#pragma once

#include <string>
#include <vector>

namespace cubcal {

/// The name that takes the fewest insertions, deletions and replacements of letters to make from
/// `wanted`; empty where even that one is more than half of it away.
std::string nearest_name(const std::string& wanted, const std::vector<std::string>& names);

}  // namespace cubcal
