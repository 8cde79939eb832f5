#pragma once

#include <ostream>
#include <string>

#include "cubcal/monitor/monitoring.h"

namespace cubcal::app {

/// Tables of periods and tests, alarms, and how all was made.
void print_monitoring(std::ostream& out, const Monitoring& monitoring);

/// A row for each period and number: rates with their intervals, tests with p.
std::string monitoring_csv(const Monitoring& monitoring);

}  // namespace cubcal::app
