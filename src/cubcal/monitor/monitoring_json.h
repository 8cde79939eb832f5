#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cubcal/monitor/monitoring.h"

namespace cubcal {

/// `reference`, `periods` with their tests, and what makes an alarm; what is not known is null.
nlohmann::ordered_json monitoring_json(const Monitoring& monitoring);

/// What was read for it.
struct MonitoringSource {
  std::vector<std::string> files;     ///< of the periods
  std::string calibration = {};       ///< the file that was applied to logits; empty: none
  std::vector<std::string> warnings;  ///< of reading, a sentence each
};

/// The same with what it was made of and by, as text.
std::string monitoring_document(const Monitoring& monitoring, const MonitoringSource& source);

}  // namespace cubcal
