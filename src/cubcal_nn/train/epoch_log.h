#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cubcal/record/epoch_record.h"
#include "cubcal_nn/train/observer.h"

namespace cubcal {

/// An epoch as metrics.jsonl keeps it.
EpochRecord epoch_record(const EpochReport& report);

/// The same numbers as TensorBoard scalars, undefined ones left out; "train/..." and "val/...".
std::vector<std::pair<std::string, double>> epoch_scalars(const EpochRecord& epoch);

}  // namespace cubcal
