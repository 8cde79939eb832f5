#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace cubcal {

/// A table of texts; the first `names` columns name the rows and stand on the left, the others hold
/// numbers and stand on the right.
struct TextRows {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;
  std::size_t names = 1;
  bool is_markdown = false;  ///< cells are Markdown already and not escaped there
};

/// "| a | b |" with its line of dashes; cells are escaped.
std::string markdown_table(const TextRows& table);
/// A tabular with the rules of booktabs; cells are escaped.
std::string latex_table(const TextRows& table);

}  // namespace cubcal
