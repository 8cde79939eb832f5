#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace cubcal::app {

struct NumberColumn {
  std::string header;
  int decimals = 2;
  double scale = 1;  ///< 100 for percentages
};

struct NumberRow {
  std::string name;
  std::vector<std::optional<double>> values;  ///< one per column; nothing prints as a dash
};

/// A table of numbers with a name per row, for terminals and for documents.
struct NumberTable {
  std::string title;
  std::string row_header;
  std::vector<NumberColumn> columns;
  std::vector<NumberRow> rows;
};

/// Repeats of one table (one per seed) as one: a single one shows its numbers, several show
/// mean ± sample standard deviation. All must have the same rows and columns.
void print_text(std::ostream& out, const std::vector<NumberTable>& repeats);
void print_markdown(std::ostream& out, const std::vector<NumberTable>& repeats);

}  // namespace cubcal::app
