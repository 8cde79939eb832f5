#include "table_output.h"

#include <algorithm>

#include "cubcal/core/check.h"
#include "cubcal/core/error.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/utf8.h"
#include "logits_input.h"

namespace cubcal::app {

namespace {

struct Replacement {
  const char* text;
  const char* by;
};

constexpr Replacement kInLatex[] = {
    {"\\", "\\textbackslash{}"},
    {"&", "\\&"},
    {"%", "\\%"},
    {"$", "\\$"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"–", "--"},
    {"−", "$-$"},
    {"Δ", "$\\Delta$"},
    {"γ", "$\\gamma$"},
};
constexpr Replacement kInMarkdown[] = {{"\\", "\\\\"}, {"|", "\\|"}, {"*", "\\*"}, {"_", "\\_"}};

/// Each replaced where it stands, in one walk over the text.
template <std::size_t N>
std::string escaped(const std::string& text, const Replacement (&table)[N]) {
  const std::string source = printable(text);
  std::string result;
  for (std::size_t at = 0; at < source.size();) {
    const Replacement* found =
        std::find_if(std::begin(table), std::end(table), [&](const Replacement& each) {
          return source.compare(at, std::string(each.text).size(), each.text) == 0;
        });
    if (found == std::end(table)) {
      result += source[at++];
    } else {
      result += found->by;
      at += std::string(found->text).size();
    }
  }
  return result;
}

template <std::size_t N>
std::string joined(const std::vector<std::string>& cells, const char* separator,
                   const Replacement (&table)[N]) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += (i == 0 ? "" : separator) + escaped(cells[i], table);
  }
  return line;
}

}  // namespace

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

std::string markdown_table(const PaperTable& table) {
  std::string text = "| " + joined(table.header, " | ", kInMarkdown) + " |\n|";
  for (std::size_t i = 0; i < table.header.size(); ++i) text += i == 0 ? "---|" : "---:|";
  text += '\n';
  for (const auto& row : table.rows) text += "| " + joined(row, " | ", kInMarkdown) + " |\n";
  return text;
}

std::string latex_table(const PaperTable& table) {
  std::string text =
      "\\begin{tabular}{l" + std::string(table.header.size() - 1, 'r') + "}\n\\toprule\n";
  text += joined(table.header, " & ", kInLatex) + " \\\\\n\\midrule\n";
  for (const auto& row : table.rows) text += joined(row, " & ", kInLatex) + " \\\\\n";
  return text + "\\bottomrule\n\\end{tabular}\n";
}

std::string csv_table(const PaperTable& table) {
  std::string text = csv_row(table.csv_header);
  for (const auto& row : table.csv_rows) text += csv_row(row);
  return text;
}

void write_tables(const TableTargets& targets, const PaperTable& table) {
  if (!targets.csv.empty()) write_text(targets.csv, csv_table(table));
  if (!targets.markdown.empty()) write_text(targets.markdown, markdown_table(table));
  if (!targets.latex.empty()) write_text(targets.latex, latex_table(table));
}

std::string exact_text(const std::optional<double>& value) { return value ? to_text(*value) : ""; }

std::vector<std::string> exact_interval(const std::optional<Interval>& interval) {
  if (!interval) return {"", ""};
  return {to_text(interval->low), to_text(interval->high)};
}

}  // namespace cubcal::app
