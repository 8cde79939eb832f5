#pragma once

#include <ostream>

#include "cubcal/audit/audit.h"
#include "table_output.h"

namespace cubcal::app {

/// A row for each group with what is shown of it, and as CSV a row for each group and value.
PaperTable audit_table(const Audit& audit);

/// A table for each column, the gaps that were found, and how all was made.
void print_audit(std::ostream& out, const Audit& audit);

}  // namespace cubcal::app
