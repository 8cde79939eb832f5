#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cubcal {

/// "a", "a or b", "a, b or c"; after `most` names "... or 3 more".
std::string joined(const std::vector<std::string>& names, const char* conjunction,
                   std::size_t most = 8);

/// "12 345", its thousands apart by narrow spaces.
std::string grouped(std::size_t number);

/// "84%".
std::string whole_percent(double share);

/// "1 image", "2 images".
std::string counted(std::size_t count, const std::string& noun);

}  // namespace cubcal
