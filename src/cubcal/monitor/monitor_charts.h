#pragma once

#include <string>

#include "cubcal/html/html.h"
#include "cubcal/monitor/monitoring.h"

namespace cubcal::report {

/// The charts over time, as markup; the reference stands on the left.
std::string monitor_charts(const Monitoring& monitoring, Figures& figures);

}  // namespace cubcal::report
