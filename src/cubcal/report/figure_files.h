#pragma once

#include <string>
#include <vector>

#include "cubcal/html/html.h"

namespace cubcal::report {

/// Writes each chart as <name>.svg and <name>.pdf, light colours and no style sheet of a page, into
/// the folder, which is made where it is not there. All are drawn before the first is written, and
/// each file is whole or not there. Returns their paths without .svg
/// and .pdf; a sentence is added to `notes` for a PDF
/// that lacks letters. Throws IoError.
std::vector<std::string> write_figures(const std::string& folder,
                                       const std::vector<NamedChart>& charts,
                                       std::vector<std::string>& notes);

}  // namespace cubcal::report
