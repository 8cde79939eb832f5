#pragma once

#include <ostream>
#include <string>

#include "cubcal/conformal/conformal_study.h"

namespace cubcal::app {

/// Where the samples of a study come from.
struct ConformalTitles {
  std::string calibration;  ///< describes the file
  std::string test;
  bool has_groups = false;
};

void print_conformal(std::ostream& out, const ConformalTitles& titles,
                     const ConformalStudy& result);

}  // namespace cubcal::app
