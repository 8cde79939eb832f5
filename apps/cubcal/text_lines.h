#pragma once

#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace cubcal::app {

/// The lines that are not empty, whatever ends them.
std::vector<std::string> text_lines(std::istream& text);

/// The same, one after the other.
void for_each_line(std::istream& text, const std::function<void(const std::string&)>& use);

}  // namespace cubcal::app
