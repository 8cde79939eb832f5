#pragma once

#include <string>
#include <vector>

namespace cubcal {

/// What a column of a table says of each sample: sex, site, age.
struct SampleColumn {
  std::string name;                 ///< of an array in a file: without its "column_"
  std::vector<std::string> values;  ///< numbers as text, NaN as nothing
};

}  // namespace cubcal
