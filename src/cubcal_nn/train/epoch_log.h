#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cubcal_nn/train/observer.h"

namespace cubcal {

/// An epoch as one line of metrics.jsonl, with the line's end. Epochs are counted from 1; undefined
/// metrics are null, and "terms" has the titles of the objective's own by their keys.
std::string epoch_json_line(const EpochReport& report);

/// The same numbers as TensorBoard scalars, undefined ones left out; "train/..." and "val/...".
std::vector<std::pair<std::string, double>> epoch_scalars(const EpochReport& report);

}  // namespace cubcal
