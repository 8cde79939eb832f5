#include "cubcal/plot/svg.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "cubcal/core/content_hash.h"
#include "cubcal/core/utf8_character.h"

namespace cubcal::plot {

namespace {

constexpr double kLargestCoordinate = 1e7;
constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

std::int64_t in_steps(double value, int per_unit) {
  return std::llround(std::clamp(value, -kLargestCoordinate, kLargestCoordinate) * per_unit);
}

void append_steps(std::string& text, std::int64_t steps, int per_unit) {
  if (steps < 0) {
    text += '-';
    steps = -steps;
  }
  text += std::to_string(steps / per_unit);
  std::int64_t rest = steps % per_unit;
  if (rest == 0) return;
  text += '.';
  for (int unit = per_unit / 10; rest > 0; unit /= 10) {
    text += static_cast<char>('0' + rest / unit);
    rest %= unit;
  }
}

/// The number of bytes of the UTF-8 character at the start of `text` that XML allows, or 0.
std::size_t character_length(std::string_view text) {
  const auto [code, length] = first_character(text);
  const bool is_control =
      code == 0x7F || (code < 0x20 && code != '\t' && code != '\n' && code != '\r');
  const bool is_noncharacter = (code & 0xFFFEU) == 0xFFFEU;
  return is_control || is_noncharacter ? 0 : length;
}

}  // namespace

std::string svg_number(double value) {
  std::string text;
  append_steps(text, in_steps(value, 100), 100);
  return text;
}

std::string readable_number(double value) {
  char buffer[32];
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::general, 4).ptr;
  return {buffer, end};
}

std::string escape_xml(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = character_length(text);
    if (length == 0) {
      escaped += kReplacement;
    } else if (text[0] == '&') {
      escaped += "&amp;";
    } else if (text[0] == '<') {
      escaped += "&lt;";
    } else if (text[0] == '>') {
      escaped += "&gt;";
    } else if (text[0] == '"') {
      escaped += "&quot;";
    } else {
      escaped += text.substr(0, length);
    }
    text.remove_prefix(std::max<std::size_t>(length, 1));
  }
  return escaped;
}

std::string tooltip(std::string_view text) {
  return text.empty() ? std::string() : "<title>" + escape_xml(text) + "</title>";
}

std::string rectangle(const std::string& attributes, Point a, Point b, std::string_view title) {
  const std::string start = "<rect" + attributes + " x=\"" + svg_number(std::min(a.x, b.x)) +
                            "\" y=\"" + svg_number(std::min(a.y, b.y)) + "\" width=\"" +
                            svg_number(std::abs(b.x - a.x)) + "\" height=\"" +
                            svg_number(std::abs(b.y - a.y)) + "\"";
  return title.empty() ? start + "/>\n" : start + ">" + tooltip(title) + "</rect>\n";
}

std::string content_id(std::string_view content) {
  return "cubcal-" + content_hash(std::string(content));
}

void PathData::write_step(char command, Point to) {
  const std::int64_t x = in_steps(to.x, per_unit_);
  const std::int64_t y = in_steps(to.y, per_unit_);
  text_ += command;
  append_steps(text_, x - x_, per_unit_);
  if (y - y_ >= 0) text_ += ' ';
  append_steps(text_, y - y_, per_unit_);
  x_ = x;
  y_ = y;
}

void PathData::move_to(Point to) {
  // The first relative move of a path is taken from the origin.
  write_step('m', to);
  start_x_ = x_;
  start_y_ = y_;
}

void PathData::line_to(Point to) { write_step('l', to); }

void PathData::close() {
  text_ += 'z';
  x_ = start_x_;
  y_ = start_y_;
}

void PathData::dot(Point at) {
  move_to(at);
  text_ += "h0";
}

std::vector<Point> thinned(const std::vector<Point>& points) {
  constexpr double kNearest = 0.2;
  std::vector<Point> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const bool near = !kept.empty() && std::abs(points[i].x - kept.back().x) < kNearest &&
                      std::abs(points[i].y - kept.back().y) < kNearest;
    if (near && i + 1 < points.size()) continue;
    if (near && kept.size() > 1) kept.pop_back();
    kept.push_back(points[i]);
  }
  return kept;
}

}  // namespace cubcal::plot
