#pragma once

#include <string>
#include <vector>

#include "cubcal/results/result_record.h"

namespace cubcal::results {

/// Every table of every experiment as FOLDER/<table>.csv and FOLDER/<table>.tex; makes the folder.
void write_result_tables(const std::string& folder, const std::vector<ResultRecord>& records);

/// What a better AvU costs in each experiment as FOLDER/<experiment>-price.svg; makes the folder.
void write_result_figures(const std::string& folder, const std::vector<ResultRecord>& records);

}  // namespace cubcal::results
