#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cubcal/evaluation/evaluation.h"
#include "cubcal/io/table_text.h"

namespace cubcal::app {

/// Where tables go for a paper or a spreadsheet; "-" is standard output, nothing none.
struct TableTargets {
  std::string csv;
  std::string markdown;
  std::string latex;

  bool to_stdout() const { return csv == "-" || markdown == "-" || latex == "-"; }
  std::vector<std::string> all() const { return {csv, markdown, latex}; }
};

/// Adds --csv, --markdown and --latex.
void add_table_options(CLI::App& command, TableTargets& targets);

/// A table as it stands in a paper, numbers rounded, and the same as a spreadsheet reads it, one
/// number with its interval in a row and all digits.
struct PaperTable {
  TextRows texts;
  std::vector<std::string> csv_header;
  std::vector<std::vector<std::string>> csv_rows;
};

/// Writes what the targets ask for.
void write_tables(const TableTargets& targets, const PaperTable& table);

/// Throws ArgumentError where more than one of JSON and tables goes to standard output.
void check_one_stdout(const TableTargets& targets, const std::string& json);

std::string csv_table(const PaperTable& table);

/// All digits; nothing where undefined.
std::string exact_text(const std::optional<double>& value);
/// Lower and upper end, or two empty fields.
std::vector<std::string> exact_interval(const std::optional<Interval>& interval);

/// Adds --json FILE.
void add_json_option(CLI::App& command, std::string& path);

}  // namespace cubcal::app
