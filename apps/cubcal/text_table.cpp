#include "text_table.h"

#include <algorithm>

#include "cubcal/io/utf8.h"

namespace cubcal::app {

namespace {

/// Characters, not bytes: UTF-8 continuation bytes take no column.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

}  // namespace

std::vector<std::string> TextTable::shown(std::vector<std::string> cells) {
  for (std::string& cell : cells) cell = printable(cell);
  return cells;
}

std::ostream& operator<<(std::ostream& out, const TextTable& table) {
  std::vector<std::size_t> widths(table.header_.size(), 0);
  const auto measure = [&](const std::vector<std::string>& row) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width(row[i]));
  };
  measure(table.header_);
  for (const auto& row : table.rows_) measure(row);
  const auto print = [&](const std::vector<std::string>& row) {
    std::string line = " ";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string padding(widths[i] - width(row[i]), ' ');
      line += " " + (i == 0 ? row[i] + padding : " " + padding + row[i]);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  };
  const bool titled = std::any_of(table.header_.begin(), table.header_.end(),
                                  [](const std::string& cell) { return !cell.empty(); });
  if (titled) print(table.header_);
  for (const auto& row : table.rows_) print(row);
  return out;
}

}  // namespace cubcal::app
