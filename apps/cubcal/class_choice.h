#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cubcal::app {

/// The class that an option names, by its name or its number. Throws ArgumentError, with the
/// nearest name there is, for any other.
std::size_t class_named(const std::string& option, const std::string& name,
                        const std::vector<std::string>& class_names);

}  // namespace cubcal::app
