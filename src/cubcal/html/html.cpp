#include "cubcal/html/html.h"

#include <algorithm>

#include "cubcal/plot/svg.h"

namespace cubcal::report {

namespace {

/// Charts up to the first width are drawn in the second, in pixels: what a telephone shows.
constexpr double kWidestFitted = 480;
constexpr double kFitted = 390;

/// The words of a text, whatever it is, joined to a name that every file system takes.
std::string file_name(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  std::string name;
  for (const char c : text) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_kept = is_upper || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '+';
    if (is_kept) {
      name += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
    if (name.size() == kLongest) break;
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "chart" : name;
}

}  // namespace

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
    const bool is_words = i + 1 == cells.size() && cells.size() < header_.size();
    const std::string across = std::to_string(header_.size() - i);
    row += element("td", is_bold ? element("b", text) : text,
                   is_words ? "class=\"words\" colspan=\"" + across + "\"" : "");
  }
  rows_ += element("tr", row) + "\n";
  ++count_;
}

std::string Table::html() const {
  std::string head;
  for (const std::string& name : header_) head += element("th", escaped(name), "scope=\"col\"");
  const std::string caption = caption_.empty() ? "" : element("caption", escaped(caption_)) + "\n";
  constexpr std::size_t kRowsKeptTogether = 12;  // on paper; more would leave half a page empty
  const char* const table = count_ > kRowsKeptTogether ? "<table class=\"long\">" : "<table>";
  return "<div class=\"scroll\" tabindex=\"0\">" + (table + caption) + "<thead>" +
         element("tr", head) + "</thead>\n<tbody>\n" + rows_ + "</tbody></table></div>\n";
}

std::string Figures::free_name(const std::string& wanted) const {
  const auto is_taken = [&](const std::string& name) {
    return std::any_of(drawn_.begin(), drawn_.end(),
                       [&](const NamedChart& each) { return each.name == name; });
  };
  std::string name = wanted;
  for (int copy = 2; is_taken(name); ++copy) name = wanted + "-" + std::to_string(copy);
  return name;
}

std::string Figures::figure(const plot::Chart& chart, const std::string& caption,
                            const std::string& name) {
  const bool is_wide = chart.options().width > kWidestFitted;
  const std::string said = name.empty() ? plot::plain_text(chart.options().title) : name;
  drawn_.push_back({free_name(file_name(subject_.empty() ? said : subject_ + "-" + said)),
                    is_wide ? chart : chart.in_width(std::min(chart.options().width, kFitted))});
  const std::string id = "chart-" + std::to_string(drawn_.size());
  const std::string svg = drawn_.back().chart.page_svg(id);
  return (is_wide ? "<figure class=\"chart whole\">" + element("div", svg, "class=\"wide\"")
                  : "<figure class=\"chart\">" + svg) +
         (caption.empty() ? "" : element("figcaption", escaped(caption))) + "</figure>\n";
}

std::string figure_row(const std::string& html, const char* css_class) {
  return "<div class=\"" + std::string(css_class) + "\">\n" + html + "</div>\n";
}

std::string section(const std::string& heading, const std::string& html) {
  return "<section>\n" + element("h3", escaped(heading)) + "\n" + html + "</section>\n";
}

}  // namespace cubcal::report
