#include "text_lines.h"

namespace cubcal::app {

void for_each_line(std::istream& text, const std::function<void(const std::string&)>& use) {
  for (std::string line; std::getline(text, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) use(line);
  }
}

std::vector<std::string> text_lines(std::istream& text) {
  std::vector<std::string> lines;
  for_each_line(text, [&](const std::string& line) { lines.push_back(line); });
  return lines;
}

}  // namespace cubcal::app
