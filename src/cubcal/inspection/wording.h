#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cubcal/core/counted.h"
#include "cubcal/html/page_numbers.h"

namespace cubcal {

/// "a", "a or b", "a, b or c"; after `most` names "... or 3 more".
std::string listed(const std::vector<std::string>& names, const char* conjunction,
                   std::size_t most = 8);

/// "84%".
std::string whole_percent(double share);

}  // namespace cubcal
