#include "table_output.h"

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/io/csv.h"
#include "logits_input.h"

namespace cubcal::app {

void add_table_options(CLI::App& command, TableTargets& targets) {
  command.add_option("--csv", targets.csv, "Write the numbers as CSV to this file, '-': stdout");
  command.add_option("--markdown", targets.markdown,
                     "Write the table as Markdown to this file, '-': stdout");
  command.add_option("--latex", targets.latex,
                     "Write the table as LaTeX (booktabs) to this file, '-': stdout");
}

void check_one_stdout(const TableTargets& targets, const std::string& json) {
  std::vector<std::string> outputs = targets.all();
  outputs.push_back(json);
  if (std::count(outputs.begin(), outputs.end(), "-") <= 1) return;
  throw ArgumentError("only one of --json, --csv, --markdown and --latex can be '-'");
}

std::string csv_table(const PaperTable& table) {
  std::string text = csv_row(table.csv_header);
  for (const auto& row : table.csv_rows) text += csv_row(row);
  return text;
}

void write_tables(const TableTargets& targets, const PaperTable& table) {
  if (!targets.csv.empty()) write_text(targets.csv, csv_table(table));
  if (!targets.markdown.empty()) write_text(targets.markdown, markdown_table(table.texts));
  if (!targets.latex.empty()) write_text(targets.latex, latex_table(table.texts));
}

std::string exact_text(const std::optional<double>& value) { return value ? to_text(*value) : ""; }

std::vector<std::string> exact_interval(const std::optional<Interval>& interval) {
  if (!interval) return {"", ""};
  return {to_text(interval->low), to_text(interval->high)};
}

void add_json_option(CLI::App& command, std::string& path) {
  command.add_option("--json", path, "Write everything as JSON to this file, '-': stdout");
}

}  // namespace cubcal::app
