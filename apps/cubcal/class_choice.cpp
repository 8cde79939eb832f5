#include "class_choice.h"

#include <algorithm>

#include "cubcal/core/error.h"
#include "cubcal/core/nearest_name.h"
#include "cubcal/core/parse_number.h"

namespace cubcal::app {

std::size_t class_named(const std::string& option, const std::string& name,
                        const std::vector<std::string>& class_names) {
  const auto found = std::find(class_names.begin(), class_names.end(), name);
  if (found != class_names.end()) return static_cast<std::size_t>(found - class_names.begin());
  const std::optional<std::size_t> index = parse_whole<std::size_t>(name);
  if (index && *index < class_names.size()) return *index;
  const std::string nearest = nearest_name(name, class_names);
  throw ArgumentError(option + " names the class '" + name + "', which is not among the " +
                      std::to_string(class_names.size()) + " classes" +
                      (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
}

std::optional<NamedNumber> named_number(const std::string& text) {
  const std::size_t sign = text.rfind('=');
  if (sign == std::string::npos) return std::nullopt;
  const std::optional<double> number = parse_number(text.substr(sign + 1));
  if (!number) return std::nullopt;
  return NamedNumber{text.substr(0, sign), *number};
}

}  // namespace cubcal::app
