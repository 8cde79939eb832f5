#pragma once

#include <string>
#include <vector>

#include "cubcal/report/sections.h"

namespace cubcal::report {

/// The whole page as one HTML document that needs nothing besides itself: style and script stand in
/// it, pictures are data URIs, and a content security policy forbids everything else. Light and
/// dark by the reader's setting or a button; the script only adds values under the pointer and
/// keyboard, so the page can be read without it and on paper.
std::string page(const std::string& title, const std::vector<Method>& methods,
                 const SampleImages& images, const ReportOptions& options);

}  // namespace cubcal::report
