#pragma once

#include <string>
#include <vector>

#include "cubcal/report/sections.h"

namespace cubcal::report {

/// The whole page as one HTML document (see html/page_frame.h); its charts are in `figures` then.
std::string page(const std::string& title, const std::vector<Method>& methods,
                 const MethodDifferences& differences, const SampleImages& images,
                 const ReportOptions& options, Figures& figures);

}  // namespace cubcal::report
