#include "cubcal/plot/text.h"

#include <algorithm>

#include "cubcal/plot/svg.h"

namespace cubcal::plot {

namespace {

constexpr double kSubscriptSize = 0.75;
constexpr double kSubscriptDrop = 0.25;

void append(TextLine& line, const TextRun& run) {
  if (run.text.empty()) return;
  if (!line.empty() && line.back().italic == run.italic && line.back().subscript == run.subscript) {
    line.back().text += run.text;
  } else {
    line.push_back(run);
  }
}

/// Position of the next unescaped `mark`, or npos.
std::size_t find_mark(std::string_view markup, char mark, std::size_t from) {
  for (std::size_t i = from; i < markup.size(); ++i) {
    if (markup[i] == '\\') {
      ++i;
    } else if (markup[i] == mark) {
      return i;
    }
  }
  return std::string_view::npos;
}

std::string without_escapes(std::string_view markup) {
  std::string text;
  for (std::size_t i = 0; i < markup.size(); ++i) {
    if (markup[i] == '\\' && i + 1 < markup.size()) ++i;
    text += markup[i];
  }
  return text;
}

double character_width(unsigned char c) {
  constexpr std::string_view kNarrow = "iljI|.,:;'!()[]{}/ \"ft";
  constexpr std::string_view kWide = "mwMW@%";
  if (c >= 0x80) return (c & 0xC0U) == 0x80U ? 0.0 : 0.62;
  if (kNarrow.find(static_cast<char>(c)) != std::string_view::npos) return 0.38;
  if (kWide.find(static_cast<char>(c)) != std::string_view::npos) return 0.95;
  return c >= 'A' && c <= 'Z' ? 0.7 : 0.61;
}

/// Each word is a line of its own runs, without spaces.
std::vector<TextLine> words_of(const TextLine& line) {
  std::vector<TextLine> words(1);
  for (const TextRun& run : line) {
    std::size_t from = 0;
    while (true) {
      const std::size_t space = run.text.find(' ', from);
      append(words.back(), {run.text.substr(from, space - from), run.italic, run.subscript});
      if (space == std::string::npos) break;
      words.emplace_back();
      from = space + 1;
    }
  }
  return words;
}

std::string tspans(const TextLine& line, double size) {
  std::string text;
  bool lowered = false;
  for (const TextRun& run : line) {
    std::string attributes;
    if (run.subscript != lowered) {
      const double drop = kSubscriptDrop * size;
      attributes += " dy=\"" + svg_number(run.subscript ? drop : -drop) + "\"";
    }
    if (run.subscript) attributes += " font-size=\"" + svg_number(kSubscriptSize * size) + "\"";
    if (run.italic) attributes += " font-style=\"italic\"";
    lowered = run.subscript;
    const std::string content = escape_xml(run.text);
    text += attributes.empty() ? content : "<tspan" + attributes + ">" + content + "</tspan>";
  }
  return text;
}

}  // namespace

TextLine parse_markup(std::string_view markup) {
  TextLine line;
  std::size_t i = 0;
  while (i < markup.size()) {
    if (markup[i] == '*') {
      const std::size_t end = find_mark(markup, '*', i + 1);
      if (end != std::string_view::npos && end > i + 1) {
        append(line, {without_escapes(markup.substr(i + 1, end - i - 1)), true, false});
        i = end + 1;
        continue;
      }
    }
    if (markup.substr(i, 2) == "_{") {
      const std::size_t end = find_mark(markup, '}', i + 2);
      if (end != std::string_view::npos) {
        append(line, {without_escapes(markup.substr(i + 2, end - i - 2)), false, true});
        i = end + 1;
        continue;
      }
    }
    if (markup[i] == '\\' && i + 1 < markup.size()) ++i;
    append(line, {std::string(1, markup[i]), false, false});
    ++i;
  }
  return line;
}

std::string literal(std::string_view text) {
  std::string markup;
  for (const char c : text) {
    if (c == '*' || c == '_' || c == '\\') markup += '\\';
    markup += c;
  }
  return markup;
}

std::string plain_text(std::string_view markup) {
  std::string text;
  for (const TextRun& run : parse_markup(markup)) text += (run.subscript ? "_" : "") + run.text;
  return text;
}

double text_width(const TextLine& line, double size) {
  double width = 0;
  for (const TextRun& run : line) {
    for (const char c : run.text) {
      width += character_width(static_cast<unsigned char>(c)) * size *
               (run.subscript ? kSubscriptSize : 1.0);
    }
  }
  return width;
}

double text_width(std::string_view markup, double size) {
  return text_width(parse_markup(markup), size);
}

std::vector<TextLine> wrapped(const TextLine& line, double size, double width) {
  std::vector<TextLine> lines;
  for (const TextLine& word : words_of(line)) {
    TextLine longer = lines.empty() ? TextLine{} : lines.back();
    if (!longer.empty()) append(longer, {" ", false, false});
    for (const TextRun& run : word) append(longer, run);
    if (lines.empty() || (!lines.back().empty() && text_width(longer, size) > width)) {
      lines.push_back(word);
    } else {
      lines.back() = longer;
    }
  }
  return lines;
}

std::string text_element(double x, double y, const TextLine& line, const TextStyle& style) {
  std::string element = "<text class=\"" + std::string(style.classes) + "\" x=\"" + svg_number(x) +
                        "\" y=\"" + svg_number(y) + "\" font-size=\"" + svg_number(style.size) +
                        "\"";
  // Some viewers drop spaces at the seam of two tspans unless told not to.
  if (line.size() > 1) element += " xml:space=\"preserve\"";
  if (style.anchor == Anchor::kMiddle) element += " text-anchor=\"middle\"";
  if (style.anchor == Anchor::kEnd) element += " text-anchor=\"end\"";
  if (style.rotation != 0) {
    element += " transform=\"rotate(" + svg_number(style.rotation) + " " + svg_number(x) + " " +
               svg_number(y) + ")\"";
  }
  return element + ">" + tspans(line, style.size) + "</text>\n";
}

std::string text_element(double x, double y, std::string_view markup, const TextStyle& style) {
  return text_element(x, y, parse_markup(markup), style);
}

}  // namespace cubcal::plot
