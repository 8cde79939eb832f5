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

  /// `emphasised` lists the columns to print bold. Of fewer cells than columns the last one holds
  /// words across the rest.
  void add(const std::vector<std::string>& cells, const std::vector<std::size_t>& emphasised = {});
  bool empty() const { return rows_.empty(); }
  std::string html() const;

 private:
  std::vector<std::string> header_;
  std::string caption_;
  std::string rows_;
  std::size_t count_ = 0;
};

/// A chart under a name that can be that of a file: lower-case letters, digits, '+' and '-'.
struct NamedChart {
  std::string name;
  plot::Chart chart;
};

/// Charts with their captions, each under an id and a name of its own.
class Figures {
 public:
  /// Charts from here on are about this, which stands in front of their names; empty: nothing.
  void set_subject(const std::string& subject) { subject_ = subject; }

  /// A chart is drawn so narrow that its text can be read on a telephone; one that needs more room
  /// scrolls there. `name` says what it shows, its title where it is empty.
  std::string figure(const plot::Chart& chart, const std::string& caption,
                     const std::string& name = {});

  /// All so far, as they were drawn.
  const std::vector<NamedChart>& drawn() const { return drawn_; }

 private:
  std::string free_name(const std::string& wanted) const;

  std::string subject_;
  std::vector<NamedChart> drawn_;
};

/// Figures side by side where there is room.
std::string figure_row(const std::string& html, const char* css_class = "row");

/// A section with a heading.
std::string section(const std::string& heading, const std::string& html);

}  // namespace cubcal::report
