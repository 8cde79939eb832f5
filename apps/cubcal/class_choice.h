#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace cubcal::app {

/// The class that an option names, by its name or its number. Throws ArgumentError, with the
/// nearest name there is, for any other.
std::size_t class_named(const std::string& option, const std::string& name,
                        const std::vector<std::string>& class_names);

struct NamedNumber {
  std::string name;
  double number;
};

/// "CLASS=NUMBER" taken apart at its last sign, since names may hold others; nothing where the text
/// is none.
std::optional<NamedNumber> named_number(const std::string& text);

}  // namespace cubcal::app
