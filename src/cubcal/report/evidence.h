#pragma once

#include <vector>

#include "cubcal/checklist/checklist.h"
#include "cubcal/report/method_differences.h"
#include "cubcal/report/sections.h"

namespace cubcal::report {

/// What records and logits prove about the first method, in sentences for checklists.
checklist::Evidence evidence_of(const std::vector<Method>& methods,
                                const MethodDifferences& differences, const ReportOptions& options);

}  // namespace cubcal::report
