#pragma once

#include <cstddef>
#include <string>

/// Numbers as pages write them: a true minus sign, thousands apart.
namespace cubcal {

/// "12 345", its thousands apart by narrow spaces.
std::string grouped(std::size_t number);

namespace report {

std::string fixed(double value, int decimals);
/// "84.2", for columns that say so, and "84.2%".
std::string in_percent(double share, int decimals = 1);
std::string percent(double share, int decimals = 1);
/// "1 image", "2 images", with thousands apart.
std::string counted(std::size_t number, const std::string& noun);

}  // namespace report

}  // namespace cubcal
