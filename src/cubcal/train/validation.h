#pragma once

#include <cstdint>
#include <functional>

#include "cubcal/data/image_set.h"
#include "cubcal/data/preprocessing.h"
#include "cubcal/metrics/metric_values.h"
#include "cubcal/models/network.h"
#include "cubcal/train/run_options.h"

namespace cubcal {

/// All metrics of the network on a split with labels, from Monte Carlo passes with the draws of
/// `seed`: the same ones after every epoch, so that epochs differ by their weights alone. Throws
/// Interrupted where `interrupted` says so.
MetricValues validate(Network& network, const ImageSplit& split, const Preprocessing& preprocessing,
                      const ValidationOptions& options, const ComputeOptions& compute,
                      std::uint64_t seed, const std::function<bool()>& interrupted);

}  // namespace cubcal
