#pragma once

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace cubcal::app {

/// A table of text in aligned columns: the first to the left, the others to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header) : header_(std::move(header)) {}

  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }
  bool empty() const { return rows_.empty(); }

 private:
  friend std::ostream& operator<<(std::ostream& out, const TextTable& table);

  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

std::ostream& operator<<(std::ostream& out, const TextTable& table);

}  // namespace cubcal::app
