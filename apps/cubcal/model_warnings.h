#pragma once

#include <string>
#include <vector>

#include "cubcal/answer.h"

namespace cubcal::app {

/// What whoever uses the model should know: its verdict was fitted with another number of passes,
/// or was written with a warning, which holds for as long as it is used; it is retired.
std::vector<std::string> model_warnings(const ModelFacts& model);

}  // namespace cubcal::app
