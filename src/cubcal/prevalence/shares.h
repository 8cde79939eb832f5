#pragma once

#include <cstddef>
#include <vector>

#include "cubcal/metrics/sample_facts.h"

/// Shares of classes: at least 0 each, 1 together.
namespace cubcal {

using ClassShares = std::vector<double>;

/// Throws ArgumentError, with `name` as its subject, unless these are shares of so many classes
/// that sum to 1 within 1e-6.
void check_shares(const char* name, const ClassShares& shares, std::size_t classes);

/// Of the counted labels.
ClassShares label_shares(ArrayView<const std::int64_t> labels, std::size_t classes,
                         SampleCounts counts = {});

}  // namespace cubcal
