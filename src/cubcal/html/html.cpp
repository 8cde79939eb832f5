#include "cubcal/html/html.h"

#include <algorithm>

#include "cubcal/plot/svg.h"

namespace cubcal::report {

std::string escaped(const std::string& text) { return plot::escape_xml(text); }

std::string element(const char* name, const std::string& html, const std::string& attributes) {
  return "<" + std::string(name) + (attributes.empty() ? "" : " " + attributes) + ">" + html +
         "</" + name + ">";
}

std::string paragraph(const std::string& text, const char* css_class) {
  const std::string name = css_class;
  return element("p", escaped(text), name.empty() ? "" : "class=\"" + name + "\"") + "\n";
}

Table::Table(std::vector<std::string> header, std::string caption)
    : header_(std::move(header)), caption_(std::move(caption)) {}

void Table::add(const std::vector<std::string>& cells, const std::vector<std::size_t>& emphasised) {
  std::string row = element("th", escaped(cells[0]), "scope=\"row\"");
  for (std::size_t i = 1; i < cells.size(); ++i) {
    const bool is_bold = std::find(emphasised.begin(), emphasised.end(), i) != emphasised.end();
    const std::string text = escaped(cells[i]);
    row += element("td", is_bold ? element("b", text) : text);
  }
  rows_ += element("tr", row) + "\n";
}

std::string Table::html() const {
  std::string head;
  for (const std::string& name : header_) head += element("th", escaped(name), "scope=\"col\"");
  const std::string caption = caption_.empty() ? "" : element("caption", escaped(caption_)) + "\n";
  return "<div class=\"scroll\" tabindex=\"0\"><table>" + caption + "<thead>" +
         element("tr", head) + "</thead>\n<tbody>\n" + rows_ + "</tbody></table></div>\n";
}

std::string Figures::figure(const plot::Chart& chart, const std::string& caption) {
  const std::string id = "chart-" + std::to_string(++drawn_);
  return "<figure class=\"chart\">" + chart.page_svg(id) +
         (caption.empty() ? "" : element("figcaption", escaped(caption))) + "</figure>\n";
}

std::string figure_row(const std::string& html, const char* css_class) {
  return "<div class=\"" + std::string(css_class) + "\">\n" + html + "</div>\n";
}

std::string section(const std::string& heading, const std::string& html) {
  return "<section>\n" + element("h3", escaped(heading)) + "\n" + html + "</section>\n";
}

}  // namespace cubcal::report
