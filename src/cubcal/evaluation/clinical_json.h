#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cubcal/evaluation/evaluation.h"

namespace cubcal {

/// `metrics`, `per_class`, `operating_points` and `confusion` (shares of each label's samples;
/// rows: labels), each with `intervals` where there are some; undefined values are null.
nlohmann::ordered_json clinical_json(const ClinicalResult& clinical,
                                     const std::vector<std::string>& class_names);

}  // namespace cubcal
