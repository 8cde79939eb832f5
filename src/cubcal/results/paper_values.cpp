#include "cubcal/results/paper_values.h"

#include <algorithm>
#include <array>

#include "cubcal/io/csv.h"
#include "cubcal/results/paper_table.h"

namespace cubcal::results {

namespace {

/// The first columns of the table say what a row is of; the others are metrics.
using RowName = std::array<std::string, 5>;

std::optional<double> number_of(const RowName& wanted, const std::string& metric) {
  static const CsvTable table = parse_csv(kPaperTable, "paper_values.csv");
  if (!table.has_column(metric)) return std::nullopt;
  const std::size_t column = table.column(metric);
  for (const std::vector<std::string>& row : table.rows) {
    if (!std::equal(wanted.begin(), wanted.end(), row.begin())) continue;
    return row[column].empty() ? std::nullopt : std::optional(std::stod(row[column]));
  }
  return std::nullopt;
}

}  // namespace

std::optional<double> paper_value(const std::string& experiment, const std::string& regime,
                                  const std::string& method, const std::string& post_hoc,
                                  const std::string& metric) {
  return number_of({experiment, regime, method, post_hoc, ""}, metric);
}

std::optional<double> paper_detection(const std::string& experiment, const std::string& method,
                                      const std::string& detector, const std::string& metric) {
  return number_of({experiment, "full", method, "", detector}, metric);
}

}  // namespace cubcal::results
