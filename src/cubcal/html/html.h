#pragma once

#include <string>
#include <vector>

#include "cubcal/plot/chart.h"

/// The pieces a page is put together from. Text is escaped where it enters; strings named `html`
/// are markup already.
namespace cubcal::report {

std::string escaped(const std::string& text);
std::string element(const char* name, const std::string& html, const std::string& attributes = {});
/// A paragraph of plain text.
std::string paragraph(const std::string& text, const char* css_class = "");

/// A table whose first column names the rows. Cells are plain text; a line ends only where the
/// text has a line break.
class Table {
 public:
  explicit Table(std::vector<std::string> header, std::string caption = {});

  /// `emphasised` lists the columns to print bold.
  void add(const std::vector<std::string>& cells, const std::vector<std::size_t>& emphasised = {});
  bool empty() const { return rows_.empty(); }
  std::string html() const;

 private:
  std::vector<std::string> header_;
  std::string caption_;
  std::string rows_;
};

/// Charts with their captions, each under an id of its own.
class Figures {
 public:
  std::string figure(const plot::Chart& chart, const std::string& caption);

 private:
  std::size_t drawn_ = 0;
};

/// Figures side by side where there is room.
std::string figure_row(const std::string& html, const char* css_class = "row");

/// A section with a heading.
std::string section(const std::string& heading, const std::string& html);

}  // namespace cubcal::report
