#pragma once

#include <nlohmann/json.hpp>

#include "cubcal/monitor/monitoring.h"

namespace cubcal {

/// `reference`, `periods` with their tests, and what makes an alarm; what is not known is null.
nlohmann::ordered_json monitoring_json(const Monitoring& monitoring);

}  // namespace cubcal
