#pragma once

#include <string>
#include <utility>

#include "cubcal/conformal/verdict_record.h"
#include "cubcal_nn/ood/network_features.h"

namespace cubcal {

/// The rule of a model, with whose scores and which prediction it is for; kept with the model, its
/// ID scores beside the detector.
struct VerdictPolicy : VerdictRecord {
  VerdictPolicy() = default;
  VerdictPolicy(VerdictRule rule)  // NOLINT: meant to convert
      : VerdictRecord(std::move(rule)) {}

  FeatureSource features = FeatureSource::kMeanWeights;
};

/// JSON text without the scores.
std::string verdict_to_json(const VerdictPolicy& policy);
/// Throws DataError naming the field that is missing or outside its domain.
VerdictPolicy verdict_from_json(const std::string& text);

}  // namespace cubcal
