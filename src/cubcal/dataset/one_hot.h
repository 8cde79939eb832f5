#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/io/csv.h"

namespace cubcal {

/// 0 or 1 of a field that says so, as a number (0, 1.0) or as a word (true, FALSE); else nothing.
std::optional<bool> indicator(const std::string& field);

/// What was found in a table whose columns of 0 and 1 may be a class each.
struct OneHotSearch {
  /// Columns of 0 and 1, but for a few fields.
  std::vector<std::size_t> indicators = {};
  /// Columns side by side of which each row has exactly one 1, but for a few rows; no column is in
  /// two of them.
  std::vector<std::vector<std::size_t>> blocks = {};
  std::size_t other_rows = 0;  ///< that have not exactly one 1 in all of `indicators`
};

/// Looks at the columns `free` and the rows `counted` (one per row). A few are a twentieth of the
/// rows, or one of ten or more.
OneHotSearch find_one_hot(const CsvTable& table, const std::vector<std::size_t>& free,
                          const std::vector<bool>& counted);

/// The class of a row, which is a place in `columns`; or what is wrong, to follow "line 7".
struct OneHotRow {
  std::optional<std::size_t> place = {};
  std::string fault = {};
};
OneHotRow one_hot_row(const CsvTable& table, std::size_t row,
                      const std::vector<std::size_t>& columns);

}  // namespace cubcal
