#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cubcal {

struct CsvOptions {
  /// Bytes accepted in one file.
  std::size_t max_bytes = std::size_t{1} << 28;
  /// Bytes accepted in one field.
  std::size_t max_field_bytes = std::size_t{1} << 20;
  /// Fields accepted in one row.
  std::size_t max_columns = 10000;
  char separator = ',';
  /// Columns without a name are called "column 3", by their place, instead of being refused where
  /// there are two.
  bool name_blank_columns = false;
};

/// A table with a header row.
struct CsvTable {
  std::string name;  ///< the file, for error messages
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;  ///< each as long as the header
  std::vector<std::size_t> lines;              ///< the line on which each row starts, from 1

  bool has_column(const std::string& column) const;
  /// Throws DataError, listing the columns there are, where there is none of this name.
  std::size_t column(const std::string& column) const;
};

/// The separator of a table whose first line is its header: of comma, semicolon, tab and bar the
/// one that stands there most often outside of quotes; a comma where none does.
char recognise_separator(std::string_view text);

/// Reads CSV as in RFC 4180: fields separated by commas (or options.separator), rows by LF or CRLF,
/// quotes around fields that hold commas, quotes (doubled) or line ends. A UTF-8 byte order mark is
/// skipped. Blank lines are skipped too, unless the table has a single column. Throws DataError
/// naming file and line for a row whose length is not the header's, a column name used twice, a
/// misplaced quote, text that is not UTF-8, or sizes beyond the options.
CsvTable parse_csv(std::string_view text, const std::string& name, const CsvOptions& options = {});
CsvTable read_csv(const std::string& path, const CsvOptions& options = {});

/// For tables that people open with a spreadsheet: a text from outside that it would take for a
/// formula, by its first character, gets an apostrophe in front.
std::string no_formula(const std::string& text);

/// One row with its line end (LF); fields are quoted only where they need it.
std::string csv_row(const std::vector<std::string>& fields);
void write_csv(const std::string& path, const CsvTable& table);

}  // namespace cubcal
