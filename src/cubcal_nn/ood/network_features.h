#pragma once

#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/ood/detector.h"

namespace cubcal {

/// What features are taken from: the network at mean weights (one pass, no dropout), or the mean
/// over the stochastic passes.
enum class FeatureSource { kMeanWeights, kPasses };

/// "mean", "mc".
const char* feature_source_name(FeatureSource source);
/// Throws ArgumentError listing the known names.
FeatureSource feature_source_from_name(const std::string& name);

/// A run's features as detectors take them, its logits averaged over the passes, and what its
/// images look like. The run must have been one with McOptions::features.
DetectorInput detector_input(const McOutput& output, const at::Tensor& images);

/// The features of images at mean weights or over the passes of `options`.
DetectorInput network_features(McEngine& engine, const at::Tensor& images, McOptions options,
                               FeatureSource source);

}  // namespace cubcal
