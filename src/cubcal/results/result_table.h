#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace cubcal::results {

/// How a column's numbers are written.
struct ResultColumn {
  std::string header;
  int decimals = 2;
  double scale = 1;        ///< 100 for percentages
  bool is_signed = false;  ///< "+0.3": a difference
};

/// One measured quantity over the seeds of a run.
struct ResultCell {
  std::vector<double> seeds;  ///< a value of each seed that has one
  /// Bootstrap over test images: the mean of the seeds' bounds. More seeds do not narrow it, since
  /// all are tested on the same images.
  std::optional<std::pair<double, double>> interval;
  std::optional<double> paper;

  bool empty() const { return seeds.empty(); }
  double mean() const;
  /// Sample standard deviation; nothing for a single seed.
  std::optional<double> deviation() const;
};

struct ResultRow {
  std::vector<std::string> names;  ///< one for each name column
  std::vector<ResultCell> cells;   ///< one for each column
  std::string note = {};           ///< beside the last name in print, not in CSV
};

struct ResultTable {
  std::string key;    ///< "chest-training": file name of its CSV and LaTeX
  std::string title;  ///< a sentence without its full stop
  std::vector<std::string> name_headers;
  std::vector<ResultColumn> columns;
  std::vector<ResultRow> rows;

  /// Whether the paper has a number anywhere in the column.
  bool paper_has(std::size_t column) const;
};

/// Tables of the same rows and columns, one of each seed, as one of all seeds.
ResultTable merged(const std::vector<ResultTable>& seeds);

/// The table's words, the paper's numbers in columns of their own: its header, and its rows with
/// cells such as "83.4 ± 0.5 [80.1, 86.7]" and a dash for an empty one.
std::vector<std::string> header_texts(const ResultTable& table);
std::vector<std::string> row_texts(const ResultTable& table, const ResultRow& row);

/// Title, table and an empty line.
std::string to_markdown(const ResultTable& table);
/// A tabular for booktabs, the caption as a comment.
std::string to_latex(const ResultTable& table);
/// A line per cell: names, column, seeds, mean, sd, low, high, paper; percentages as in print.
std::string to_csv(const ResultTable& table);

}  // namespace cubcal::results
