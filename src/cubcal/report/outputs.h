#pragma once

#include <string>
#include <vector>

#include "cubcal/checklist/checklist.h"
#include "cubcal/html/html.h"
#include "cubcal/report/method_differences.h"
#include "cubcal/report/sections.h"

/// What a report gives out: its page, its charts as files, and sentences for checklists.
namespace cubcal::report {

/// The whole page as one HTML document (see html/page_frame.h); its charts are in `figures` then.
std::string page(const std::string& title, const std::vector<Method>& methods,
                 const MethodDifferences& differences, const SampleImages& images,
                 const ReportOptions& options, Figures& figures);

/// Writes each chart as <name>.svg and <name>.pdf, light colours and no style sheet of a page, into
/// the folder, which is made where it is not there. All are drawn before the first is written, and
/// each file is whole or not there. Returns their paths without .svg and .pdf; a sentence is added
/// to `notes` for a PDF that lacks letters. Throws IoError.
std::vector<std::string> write_figures(const std::string& folder,
                                       const std::vector<NamedChart>& charts,
                                       std::vector<std::string>& notes);

/// What records and logits prove about the first method, in sentences for checklists.
checklist::Evidence evidence_of(const std::vector<Method>& methods,
                                const MethodDifferences& differences, const ReportOptions& options);

}  // namespace cubcal::report
