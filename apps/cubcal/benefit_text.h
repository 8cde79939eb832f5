#pragma once

#include <ostream>
#include <string>

#include "cubcal/benefit/benefit_json.h"
#include "table_output.h"

namespace cubcal::app {

/// `title` describes the file.
void print_benefit(std::ostream& out, const std::string& title, const BenefitReport& result);
/// A row for each threshold; as CSV one for each number.
PaperTable benefit_table(const BenefitReport& result);

}  // namespace cubcal::app
