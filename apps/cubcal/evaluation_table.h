#pragma once

#include <ostream>
#include <vector>

#include "cubcal/evaluation/evaluation.h"
#include "table_output.h"

namespace cubcal::app {

/// A row for each metric, the clinical ones too where there are some, and a column for each file;
/// values with their intervals. As CSV a row for each file and metric.
PaperTable evaluation_table(const std::vector<Evaluation>& evaluations);

/// The same table for reading on a terminal.
void print_evaluations(std::ostream& out, const std::vector<Evaluation>& evaluations);

}  // namespace cubcal::app
