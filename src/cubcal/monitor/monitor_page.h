#pragma once

#include <string>

#include "cubcal/monitor/monitoring.h"

namespace cubcal::report {

/// One HTML document about a model in use (see html/page_frame.h): alarms in words, charts over
/// time, tables, and how all was made. `made_from` is a line about the files.
std::string monitor_page(const Monitoring& monitoring, const std::string& title,
                         const std::string& made_from);

}  // namespace cubcal::report
