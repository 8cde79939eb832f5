#pragma once

#include <ostream>

#include "cubcal/evaluation/evaluation.h"

namespace cubcal::app {

/// Classes that a table of text lists at most; JSON has them all.
inline constexpr std::size_t kMostClassesShown = 30;

void print_evaluation(std::ostream& out, const Evaluation& evaluation);

}  // namespace cubcal::app
