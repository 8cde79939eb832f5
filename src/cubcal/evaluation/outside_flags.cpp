#include "cubcal/evaluation/outside_flags.h"

#include <cmath>

#include "cubcal/core/check.h"
#include "cubcal/core/parse_number.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

std::string OutsideRule::text() const {
  return column + (of_p_values ? " at most " : " above ") + to_text(bound);
}

std::vector<std::uint8_t> outside_flags(const LogitsFile& file, const OutsideRule& rule) {
  std::vector<std::uint8_t> flags;
  for (const std::string& text : column_values(file, rule.column)) {
    const std::optional<double> value = parse_number(text);
    const bool is_good =
        value && !std::isnan(*value) && (!rule.of_p_values || (*value >= 0 && *value <= 1));
    if (!is_good) {
      throw DataError("the column '" + rule.column + "' of '" + file.path + "' has " +
                      in_quotes(text) + " for sample " + std::to_string(flags.size()) + ", but " +
                      (rule.of_p_values ? "p-values in [0, 1]" : "scores") + " are needed");
    }
    flags.push_back(rule.is_outside(*value) ? 1 : 0);
  }
  return flags;
}

}  // namespace cubcal
