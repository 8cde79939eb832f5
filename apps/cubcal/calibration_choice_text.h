#pragma once

#include <ostream>
#include <string>

#include "cubcal/evaluation/calibration_choice.h"

namespace cubcal::app {

/// `title` describes the validation file.
void print_choice(std::ostream& out, const std::string& title, const CalibrationChoice& choice,
                  const MetricOptions& metrics);

}  // namespace cubcal::app
