#pragma once

#include <ostream>

#include "evaluation.h"

namespace cubcal::app {

void print_evaluation(std::ostream& out, const Evaluation& evaluation);

}  // namespace cubcal::app
