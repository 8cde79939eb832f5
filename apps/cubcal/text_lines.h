#pragma once

#include <istream>
#include <string>
#include <vector>

namespace cubcal::app {

/// The lines that are not empty, whatever ends them.
std::vector<std::string> text_lines(std::istream& text);

}  // namespace cubcal::app
