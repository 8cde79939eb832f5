#pragma once

#include <ostream>

#include "cubcal/evaluation/evaluation.h"

namespace cubcal::app {

/// The tables of an evaluation that has clinical metrics.
void print_clinical(std::ostream& out, const Evaluation& evaluation);

}  // namespace cubcal::app
