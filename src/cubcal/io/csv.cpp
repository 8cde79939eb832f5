#include "cubcal/io/csv.h"

#include <algorithm>
#include <array>
#include <unordered_set>

#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/utf8.h"

namespace cubcal {

namespace {

constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";

class CsvParser {
 public:
  CsvParser(std::string_view text, const std::string& name, const CsvOptions& options)
      : text_(text), name_(name), options_(options) {
    if (text_.substr(0, byte_order_mark.size()) == byte_order_mark) {
      text_.remove_prefix(byte_order_mark.size());
    }
  }

  CsvTable parse() {
    CsvTable table;
    table.name = name_;
    while (table.header.empty()) {
      if (text_.empty()) throw DataError("'" + name_ + "' is empty, but a header row is expected");
      if (!take_line_end()) table.header = row();  // blank lines may come first
    }
    if (options_.name_blank_columns) name_blank_columns(table.header);
    check_header(table.header);
    while (!text_.empty()) {
      if (table.header.size() > 1 && take_line_end()) continue;
      const std::size_t start = line_;
      std::vector<std::string> fields = row();
      if (fields.size() != table.header.size()) {
        complain(start, "has " + std::to_string(fields.size()) + " fields, but the header has " +
                            std::to_string(table.header.size()));
      }
      table.rows.push_back(std::move(fields));
      table.lines.push_back(start);
    }
    return table;
  }

 private:
  [[noreturn]] void complain(std::size_t line, const std::string& complaint) const {
    throw DataError("line " + std::to_string(line) + " of '" + name_ + "' " + complaint);
  }

  void check_header(const std::vector<std::string>& header) const {
    std::unordered_set<std::string> seen;
    for (const std::string& column : header) {
      if (!seen.insert(column).second) {
        throw DataError("the header of '" + name_ + "' has two columns named " + in_quotes(column));
      }
    }
  }

  static void name_blank_columns(std::vector<std::string>& header) {
    for (std::size_t i = 0; i < header.size(); ++i) {
      const bool is_blank = header[i].find_first_not_of(" \t") == std::string::npos;
      if (is_blank) header[i] = "column " + std::to_string(i + 1);
    }
  }

  /// Takes LF or CRLF off the front.
  bool take_line_end() {
    const std::size_t length = text_[0] == '\n' ? 1 : text_.substr(0, 2) == "\r\n" ? 2 : 0;
    text_.remove_prefix(length);
    if (length > 0) ++line_;
    return length > 0;
  }

  /// Takes one row with its line end; the text is not empty.
  std::vector<std::string> row() {
    std::vector<std::string> fields;
    for (;;) {
      if (fields.size() == options_.max_columns) {
        complain(line_, "has more than " + std::to_string(options_.max_columns) + " fields");
      }
      fields.push_back(!text_.empty() && text_[0] == '"' ? quoted_field() : plain_field());
      if (text_.empty() || take_line_end()) return fields;
      if (text_[0] != options_.separator) complain(line_, "has text after a closing quote");
      text_.remove_prefix(1);
    }
  }

  std::string plain_field() {
    const std::size_t end = std::min(text_.find_first_of(ends_), text_.size());
    std::string field(text_.substr(0, end));
    text_.remove_prefix(end);
    if (!text_.empty() && text_[0] == '"') {
      complain(line_, "has a quote inside a field that does not start with one");
    }
    if (!text_.empty() && text_[0] == '\r' && text_.substr(0, 2) != "\r\n") {
      complain(line_, "has a carriage return without a line feed");
    }
    check_field(field, line_);
    return field;
  }

  std::string quoted_field() {
    const std::size_t start = line_;
    std::string field;
    text_.remove_prefix(1);
    for (;;) {
      const std::size_t end = text_.find('"');
      if (end == std::string_view::npos) complain(start, "opens a quote that is never closed");
      const std::string_view part = text_.substr(0, end);
      line_ += static_cast<std::size_t>(std::count(part.begin(), part.end(), '\n'));
      field += part;
      text_.remove_prefix(end + 1);
      if (text_.empty() || text_[0] != '"') break;
      field += '"';
      text_.remove_prefix(1);
    }
    check_field(field, start);
    return field;
  }

  void check_field(const std::string& field, std::size_t line) const {
    if (field.size() > options_.max_field_bytes) {
      complain(line,
               "has a field longer than " + std::to_string(options_.max_field_bytes) + " bytes");
    }
    if (!is_utf8(field)) complain(line, "is not UTF-8");
    if (field.find('\0') != std::string::npos) complain(line, "has a NUL character");
  }

  std::string_view text_;
  const std::string& name_;
  const CsvOptions& options_;
  const std::string ends_ = std::string("\n\r\"") + options_.separator;  ///< of a plain field
  std::size_t line_ = 1;
};

std::string csv_field(const std::string& field) {
  const bool is_plain = field.find_first_of(",\"\r\n") == std::string::npos &&
                        field.compare(0, byte_order_mark.size(), byte_order_mark) != 0;
  if (is_plain) return field;
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + "\"";
}

}  // namespace

bool CsvTable::has_column(const std::string& column) const {
  return std::find(header.begin(), header.end(), column) != header.end();
}

std::size_t CsvTable::column(const std::string& column) const {
  const auto found = std::find(header.begin(), header.end(), column);
  if (found == header.end()) {
    std::string listed;
    for (const std::string& present : header) {
      listed += (listed.empty() ? "" : ", ") + in_quotes(present);
    }
    throw DataError("'" + name + "' has no column " + in_quotes(column) + "; it has " + listed);
  }
  return static_cast<std::size_t>(found - header.begin());
}

char recognise_separator(std::string_view text) {
  constexpr std::string_view kSeparators = ",;\t|";
  std::array<std::size_t, kSeparators.size()> counts{};
  bool quoted = false;
  bool has_begun = false;  // blank lines may come first
  for (const char c : text) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' && has_begun) break;
    has_begun = has_begun || (c != '\n' && c != '\r');
    const std::size_t place = kSeparators.find(c);
    if (place != std::string_view::npos) ++counts[place];
  }
  return kSeparators[static_cast<std::size_t>(std::max_element(counts.begin(), counts.end()) -
                                              counts.begin())];
}

CsvTable parse_csv(std::string_view text, const std::string& name, const CsvOptions& options) {
  return CsvParser(text, name, options).parse();
}

CsvTable read_csv(const std::string& path, const CsvOptions& options) {
  return parse_csv(read_text_file(path, options.max_bytes), path, options);
}

std::string no_formula(const std::string& text) {
  const bool is_formula =
      !text.empty() && std::string("=+-@\t\r").find(text[0]) != std::string::npos;
  return is_formula ? "'" + text : text;
}

std::string csv_row(const std::vector<std::string>& fields) {
  // A row of one empty field would otherwise be a blank line.
  if (fields.size() == 1 && fields[0].empty()) return "\"\"\n";
  std::string text;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (i > 0) text += ',';
    text += csv_field(fields[i]);
  }
  return text + "\n";
}

void write_csv(const std::string& path, const CsvTable& table) {
  AtomicFile file(path);
  file.write(csv_row(table.header));
  for (const std::vector<std::string>& row : table.rows) {
    if (row.size() != table.header.size()) {
      throw ArgumentError("a row for '" + path + "' has " + std::to_string(row.size()) +
                          " fields, but the header has " + std::to_string(table.header.size()));
    }
    file.write(csv_row(row));
  }
  file.commit();
}

}  // namespace cubcal
