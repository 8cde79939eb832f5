#pragma once

#include <optional>
#include <string>

#include "cubcal/calibration/calibration.h"

namespace cubcal {

/// Names a calibration by all that it is applied with; empty where there is none.
std::string calibration_hash(const std::optional<Calibration>& calibration);

}  // namespace cubcal
