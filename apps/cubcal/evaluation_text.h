#pragma once

#include <ostream>

#include "cubcal/evaluation/evaluation.h"

namespace cubcal::app {

/// Classes that a table of text lists at most; JSON has them all.
inline constexpr std::size_t kMostClassesShown = 30;

void print_evaluation(std::ostream& out, const Evaluation& evaluation);

/// The tables of an evaluation that has clinical metrics.
void print_clinical(std::ostream& out, const Evaluation& evaluation);

/// Whether an interval does not hold the value it is of.
bool is_outside(const std::optional<double>& value, const std::optional<Interval>& interval);

/// Why that can be: one sentence under a table where it is so, or nothing.
void print_outside_note(std::ostream& out, bool is_any_outside);

}  // namespace cubcal::app
