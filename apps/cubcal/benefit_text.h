#pragma once

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "benefit_options.h"
#include "cubcal/benefit/benefit_curve.h"
#include "cubcal/calibration/calibration.h"
#include "table_output.h"

namespace cubcal::app {

/// All that 'cubcal benefit' found.
struct BenefitResult {
  std::string file;
  std::string title;  ///< describes the file
  std::vector<std::string> positive;
  BenefitChoice choice;
  std::optional<Calibration> calibration;
  std::size_t cases = 0;
  std::size_t diseased = 0;
  BenefitCurve curve;
  std::optional<BootstrapOptions> bootstrap;
  bool bootstrap_by_group = false;
};

void print_benefit(std::ostream& out, const BenefitResult& result);
std::string benefit_json(const BenefitResult& result);
/// A row for each threshold; as CSV one for each number.
PaperTable benefit_table(const BenefitResult& result);

}  // namespace cubcal::app
