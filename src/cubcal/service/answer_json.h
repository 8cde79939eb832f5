#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "cubcal/answer.h"

namespace cubcal {

/// "sharpen" or "soften".
const char* region_name(const Answer& answer);

/// The rule behind the verdicts.
nlohmann::ordered_json policy_json(const ModelFacts& model);

/// One prediction, as 'cubcal predict --json' and the service give it.
nlohmann::ordered_json prediction_json(const std::string& image, const Answer& answer,
                                       const ModelFacts& model);

}  // namespace cubcal
