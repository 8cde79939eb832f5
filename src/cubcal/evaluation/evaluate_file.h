#pragma once

#include <string>

#include "cubcal/evaluation/evaluation.h"
#include "cubcal/io/logits_file.h"

namespace cubcal {

/// A labelled file measured as the plan says, through the calibration in the file at
/// `calibration` where that is not empty, with how well outliers are told apart where there are
/// some. Class names are the file's own. Titles are left for the caller to fill.
Evaluation evaluate_file(const LogitsFile& file, const LogitsFile* outliers,
                         const std::string& calibration, const EvaluationPlan& plan);

}  // namespace cubcal
