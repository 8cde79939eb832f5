#include "settings_text.h"

namespace cubcal::app {

namespace {

constexpr std::size_t kWidth = 100;

std::string table_of(const std::string& key) {
  const std::size_t dot = key.find('.');
  return dot == std::string::npos ? "run" : key.substr(0, dot);
}

std::string without_quotes(const std::string& json) {
  const bool is_text = json.size() > 2 && json.front() == '"';
  return is_text ? json.substr(1, json.size() - 2) : json;
}

}  // namespace

std::string settings_text(const Settings& settings, const std::string& indent) {
  std::string text, table;
  std::size_t column = 0;
  for (const auto& [key, value] : settings) {
    const std::string own = table_of(key);
    if (own == "data" || own == "augmentation" || value == "\"\"" || value == "[]") continue;
    const std::string name = own == "run" ? key : key.substr(own.size() + 1);
    std::string words = " " + name + " " + without_quotes(value);
    if (own != table) {
      text += (table.empty() ? "" : "\n") + indent + own + ":";
      column = indent.size() + own.size() + 1;
      table = own;
    } else {
      text += ",";
      if (column + words.size() + 1 > kWidth) {
        text += "\n" + indent + " ";
        column = indent.size() + 1;
      }
    }
    text += words;
    column += words.size() + 1;
  }
  return text.empty() ? text : text + "\n";
}

}  // namespace cubcal::app
