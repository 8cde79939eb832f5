#include "number_table.h"

#include <cmath>

#include "number_text.h"
#include "text_table.h"

namespace cubcal::app {

namespace {

/// One cell over all repeats; a dash where any of them is undefined.
std::string cell(const std::vector<NumberTable>& repeats, std::size_t row, std::size_t column) {
  const NumberColumn& format = repeats.front().columns[column];
  const auto count = static_cast<double>(repeats.size());
  double sum = 0;
  for (const NumberTable& table : repeats) {
    const std::optional<double>& value = table.rows[row].values[column];
    if (!value) return "-";
    sum += *value;
  }
  const double mean = sum / count;
  const std::string text = fixed(format.scale * mean, format.decimals);
  if (repeats.size() == 1) return text;
  double squares = 0;
  for (const NumberTable& table : repeats) {
    squares += std::pow(*table.rows[row].values[column] - mean, 2);
  }
  const double deviation = std::sqrt(squares / (count - 1));
  return text + " ± " + fixed(format.scale * deviation, format.decimals);
}

std::vector<std::string> header(const NumberTable& table) {
  std::vector<std::string> names{table.row_header};
  for (const NumberColumn& column : table.columns) names.push_back(column.header);
  return names;
}

std::vector<std::string> cells(const std::vector<NumberTable>& repeats, std::size_t row) {
  std::vector<std::string> texts{repeats.front().rows[row].name};
  for (std::size_t column = 0; column < repeats.front().columns.size(); ++column) {
    texts.push_back(cell(repeats, row, column));
  }
  return texts;
}

void markdown_line(std::ostream& out, const std::vector<std::string>& texts) {
  for (const std::string& text : texts) out << "| " << text << ' ';
  out << "|\n";
}

}  // namespace

void print_text(std::ostream& out, const std::vector<NumberTable>& repeats) {
  TextTable table(header(repeats.front()));
  for (std::size_t row = 0; row < repeats.front().rows.size(); ++row) {
    table.add(cells(repeats, row));
  }
  out << repeats.front().title << "\n\n" << table << '\n';
}

void print_markdown(std::ostream& out, const std::vector<NumberTable>& repeats) {
  const NumberTable& first = repeats.front();
  out << first.title << "\n\n";
  markdown_line(out, header(first));
  out << "|---";
  for (std::size_t column = 0; column < first.columns.size(); ++column) out << "|---:";
  out << "|\n";
  for (std::size_t row = 0; row < first.rows.size(); ++row) {
    markdown_line(out, cells(repeats, row));
  }
  out << '\n';
}

}  // namespace cubcal::app
