#include "cubcal/io/table_text.h"

#include <algorithm>

#include "cubcal/io/utf8.h"

namespace cubcal {

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
    {"±", "$\\pm$"},
    {"Δ", "$\\Delta$"},
    {"β", "$\\beta$"},
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

template <class Escape>
std::string joined(const std::vector<std::string>& cells, const char* separator, Escape escape) {
  std::string line;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    line += (i == 0 ? "" : separator) + escape(cells[i]);
  }
  return line;
}

std::string in_latex(const std::string& cell) { return escaped(cell, kInLatex); }

}  // namespace

std::string markdown_table(const TextRows& table) {
  const auto line = [&table](const std::vector<std::string>& cells) {
    return "| " +
           joined(cells, " | ",
                  [&table](const std::string& cell) {
                    return table.is_markdown ? cell : escaped(cell, kInMarkdown);
                  }) +
           " |\n";
  };
  std::string text = line(table.header) + "|";
  for (std::size_t i = 0; i < table.header.size(); ++i) text += i < table.names ? "---|" : "---:|";
  text += '\n';
  for (const auto& row : table.rows) text += line(row);
  return text;
}

std::string latex_table(const TextRows& table) {
  std::string text = "\\begin{tabular}{" + std::string(table.names, 'l') +
                     std::string(table.header.size() - table.names, 'r') + "}\n\\toprule\n";
  text += joined(table.header, " & ", in_latex) + " \\\\\n\\midrule\n";
  for (const auto& row : table.rows) text += joined(row, " & ", in_latex) + " \\\\\n";
  return text + "\\bottomrule\n\\end{tabular}\n";
}

}  // namespace cubcal
