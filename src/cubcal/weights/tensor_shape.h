#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace cubcal {

/// A tensor's shape; `where` names the tensor in the DataError for anything but a list of
/// non-negative integers.
std::vector<std::size_t> parse_shape(const nlohmann::json& entry, const std::string& where);

}  // namespace cubcal
