#pragma once

#include <string>
#include <vector>

#include "cubcal/inspection/findings.h"

namespace cubcal {

/// Everything inspection knows: counts, findings with all the files concerned, tables of columns
/// against classes, and the facts of every image. docs/data.md describes the fields.
std::string inspection_json(const Catalog& catalog, const std::vector<ImageFacts>& facts,
                            const std::vector<Finding>& findings, const ExamineOptions& options);

}  // namespace cubcal
