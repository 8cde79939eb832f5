#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cubcal/io/logits_file.h"

namespace cubcal {

/// When a column of a logits file says that a sample is out of scope.
struct OutsideRule {
  std::string column;
  bool of_p_values = true;  ///< at or below the bound; else a score above it
  double bound = 0.05;

  /// "ood_p at most 0.05", "distance above 12".
  std::string text() const;
  bool is_outside(double value) const { return of_p_values ? value <= bound : value > bound; }
};

/// A flag for each sample of a file whose column was read. Throws DataError, naming file and
/// sample, where a value is not a number or a p-value is not in [0, 1].
std::vector<std::uint8_t> outside_flags(const LogitsFile& file, const OutsideRule& rule);

}  // namespace cubcal
