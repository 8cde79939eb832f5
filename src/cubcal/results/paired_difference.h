#pragma once

#include <optional>

#include "cubcal/results/record_grid.h"

namespace cubcal::results {

/// What every method changes against the plain Bayesian network of the same seed, which starts from
/// the same first network: as it is, and with `ts-nll` or `dts-guarded` on top. A cell holds the
/// differences of the seeds that have both and, from two on, the 95% interval of their mean by
/// Student's t. Nothing where no method has a seed in common with that network.
std::optional<ResultTable> difference_table(const Grid& grid);

}  // namespace cubcal::results
