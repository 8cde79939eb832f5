#pragma once

#include <ostream>

#include "cubcal/evaluation/evaluation.h"

namespace cubcal::app {

void print_evaluation(std::ostream& out, const Evaluation& evaluation);

}  // namespace cubcal::app
