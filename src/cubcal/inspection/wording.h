#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cubcal/html/page_numbers.h"

namespace cubcal {

/// "a", "a or b", "a, b or c"; after `most` names "... or 3 more".
std::string joined(const std::vector<std::string>& names, const char* conjunction,
                   std::size_t most = 8);

/// "84%".
std::string whole_percent(double share);

/// "1 image", "2 images".
std::string counted(std::size_t count, const std::string& noun);

}  // namespace cubcal
