#pragma once

#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"

namespace cubcal {

/// Logits or probabilities of one pass from a table with a row for each sample. Where columns begin
/// with "p ", as those that 'cubcal apply' writes, these are the classes; else all are but `label`
/// (or the reading's labels key), `group`, `file`, `sample` and those that begin with "column_".
/// What stands after "p " is the name of the class. Throws DataError naming line and column for a
/// field that is not a number.
LogitsFile read_csv_logits(const CsvTable& table, const LogitsReading& reading);

}  // namespace cubcal
