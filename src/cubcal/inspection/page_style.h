#pragma once

#include <string>

namespace cubcal {

/// The style sheet of the inspection page: light and dark by the reader's setting, light on paper.
std::string page_style();

}  // namespace cubcal
