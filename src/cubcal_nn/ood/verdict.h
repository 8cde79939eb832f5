#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/conformal/verdict_rule.h"
#include "cubcal_nn/ood/network_features.h"

namespace cubcal {

/// What a rule did with images that no verdict may accept (probes.h).
struct ProbeRates {
  std::string name;
  VerdictRates rates;
};

/// The rule of a model, with whose scores and which prediction it is for; kept with the model, its
/// ID scores beside the detector.
struct VerdictPolicy : VerdictRule {
  VerdictPolicy() = default;
  VerdictPolicy(VerdictRule rule) : VerdictRule(std::move(rule)) {}  // NOLINT: meant to convert

  std::string detector;  ///< whose score it is
  FeatureSource features = FeatureSource::kMeanWeights;
  std::size_t passes = 0;          ///< of the prediction whose U the threshold is for
  std::string calibration;         ///< hash of the calibration it is for; empty: none
  std::vector<ProbeRates> probes;  ///< empty for models of versions that made none
};

/// JSON text without the scores.
std::string verdict_to_json(const VerdictPolicy& policy);
/// Throws DataError naming the field that is missing or outside its domain.
VerdictPolicy verdict_from_json(const std::string& text);

}  // namespace cubcal
