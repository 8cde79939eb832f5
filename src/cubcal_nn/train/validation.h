#pragma once

#include <cstdint>
#include <functional>

#include "cubcal/metrics/metric_values.h"
#include "cubcal_nn/batches/image_set.h"
#include "cubcal_nn/batches/preprocessing.h"
#include "cubcal_nn/models/network.h"
#include "cubcal_nn/ranks/rank_split.h"
#include "cubcal_nn/train/run_options.h"

namespace cubcal {

/// All metrics of the network on a split with labels, from Monte Carlo passes with the draws of
/// `seed`: the same ones after every epoch, so that epochs differ by their weights alone. Throws
/// Interrupted where `interrupted` says so. Ranks share the images out, and have the values that
/// rank 0 makes of all their logits.
MetricValues validate(Network& network, const ImageSplit& split, const Preprocessing& preprocessing,
                      const ValidationOptions& options, const ComputeOptions& compute,
                      std::uint64_t seed, const std::function<bool()>& interrupted,
                      const RankSplit& ranks = {});

}  // namespace cubcal
