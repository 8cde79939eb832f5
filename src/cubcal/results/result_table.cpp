#include "cubcal/results/result_table.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "cubcal/core/check.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/table_text.h"

namespace cubcal::results {

namespace {

/// Without a sign but that of less than nothing.
std::string plain_text(double value, const ResultColumn& column) {
  return fixed(column.scale * value, column.decimals);
}

std::string number_text(double value, const ResultColumn& column) {
  std::string text = plain_text(value, column);
  if (!column.is_signed) return text;
  const bool is_zero = text.find_first_of("123456789") == std::string::npos;
  const bool has_minus = text.front() == '-';
  if (is_zero) return has_minus ? text.substr(1) : text;
  return has_minus ? text : "+" + text;
}

std::string cell_text(const ResultCell& cell, const ResultColumn& column) {
  if (cell.empty()) return "-";
  std::string text = number_text(cell.mean(), column);
  if (const auto deviation = cell.deviation()) text += " ± " + plain_text(*deviation, column);
  if (cell.interval) {
    text += " [" + number_text(cell.interval->first, column) + ", " +
            number_text(cell.interval->second, column) + "]";
  }
  return text;
}

TextRows text_rows(const ResultTable& table) {
  TextRows texts{header_texts(table), {}, table.name_headers.size(), true};
  for (const ResultRow& row : table.rows) texts.rows.push_back(row_texts(table, row));
  return texts;
}

}  // namespace

double ResultCell::mean() const {
  return std::accumulate(seeds.begin(), seeds.end(), 0.0) / static_cast<double>(seeds.size());
}

std::optional<double> ResultCell::deviation() const {
  if (seeds.size() < 2) return std::nullopt;
  double squares = 0;
  for (const double each : seeds) squares += std::pow(each - mean(), 2);
  return std::sqrt(squares / static_cast<double>(seeds.size() - 1));
}

bool ResultTable::paper_has(std::size_t column) const {
  return std::any_of(rows.begin(), rows.end(), [column](const ResultRow& row) {
    return row.cells[column].paper.has_value();
  });
}

ResultTable merged(const std::vector<ResultTable>& seeds) {
  ResultTable table = seeds.front();
  for (std::size_t i = 1; i < seeds.size(); ++i) {
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
      for (std::size_t column = 0; column < table.columns.size(); ++column) {
        const std::vector<double>& more = seeds[i].rows[row].cells[column].seeds;
        std::vector<double>& values = table.rows[row].cells[column].seeds;
        values.insert(values.end(), more.begin(), more.end());
      }
    }
  }
  return table;
}

std::vector<std::string> header_texts(const ResultTable& table) {
  std::vector<std::string> texts = table.name_headers;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    texts.push_back(table.columns[c].header);
    if (table.paper_has(c)) texts.emplace_back("paper");
  }
  return texts;
}

std::vector<std::string> row_texts(const ResultTable& table, const ResultRow& row) {
  std::vector<std::string> texts = row.names;
  if (!row.note.empty()) texts.back() += ", " + row.note;
  for (std::size_t c = 0; c < table.columns.size(); ++c) {
    const ResultCell& cell = row.cells[c];
    texts.push_back(cell_text(cell, table.columns[c]));
    if (table.paper_has(c))
      texts.push_back(cell.paper ? number_text(*cell.paper, table.columns[c]) : "-");
  }
  return texts;
}

std::string to_markdown(const ResultTable& table) {
  return table.title + "\n\n" + markdown_table(text_rows(table)) + "\n";
}

std::string to_latex(const ResultTable& table) {
  return "% " + table.title + "\n" + latex_table(text_rows(table));
}

std::string to_csv(const ResultTable& table) {
  std::vector<std::string> header = table.name_headers;
  for (const char* name : {"column", "seeds", "mean", "sd", "low", "high", "paper"}) {
    header.emplace_back(name);
  }
  std::string text = csv_row(header);
  for (const ResultRow& row : table.rows) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      const ResultCell& cell = row.cells[c];
      const ResultColumn exact{"", table.columns[c].decimals + 3, table.columns[c].scale};
      const auto number = [&](const std::optional<double>& value) {
        return value ? number_text(*value, exact) : std::string();
      };
      std::vector<std::string> texts;
      for (const std::string& name : row.names) texts.push_back(no_formula(name));
      texts.push_back(table.columns[c].header);
      texts.push_back(std::to_string(cell.seeds.size()));
      texts.push_back(cell.empty() ? "" : number_text(cell.mean(), exact));
      texts.push_back(number(cell.deviation()));
      texts.push_back(cell.interval ? number_text(cell.interval->first, exact) : "");
      texts.push_back(cell.interval ? number_text(cell.interval->second, exact) : "");
      texts.push_back(number(cell.paper));
      text += csv_row(texts);
    }
  }
  return text;
}

}  // namespace cubcal::results
