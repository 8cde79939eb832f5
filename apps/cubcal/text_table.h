#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace cubcal::app {

/// A table of text in aligned columns: the first to the left, the others to the right.
class TextTable {
 public:
  explicit TextTable(const std::vector<std::string>& header) : header_(shown(header)) {}

  void add(const std::vector<std::string>& row) { rows_.push_back(shown(row)); }
  bool empty() const { return rows_.empty(); }

 private:
  /// Names come from files, and a line of a table stays one line.
  static std::vector<std::string> shown(std::vector<std::string> cells);
  friend std::ostream& operator<<(std::ostream& out, const TextTable& table);

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

std::ostream& operator<<(std::ostream& out, const TextTable& table);

}  // namespace cubcal::app
