#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "cubcal/benefit/benefit_curve.h"
#include "cubcal/calibration/calibration.h"

namespace cubcal {

/// A decision curve and what it was made of.
struct BenefitReport {
  std::string file;
  std::vector<std::string> positive;  ///< names of the classes that are the disease
  std::string policy;                 ///< what is referred, in words
  std::optional<Calibration> calibration;
  std::size_t cases = 0;
  std::size_t diseased = 0;
  BenefitCurve curve;
  std::optional<BootstrapOptions> bootstrap;
  bool bootstrap_by_group = false;

  bool is_cost() const { return curve.options.prices.are_stated(); }
  bool has_policy() const { return curve.subject() == Strategy::kPolicy; }
};

nlohmann::ordered_json benefit_json(const BenefitReport& report);

}  // namespace cubcal
