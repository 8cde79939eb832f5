#include "cubcal_nn/bayes/forward_context.h"

#include <numeric>
#include <string>

#include "cubcal/core/error.h"

namespace cubcal {

std::vector<std::int64_t> ForwardContext::sample_indices(std::int64_t rows) const {
  if (!samples.empty()) {
    if (static_cast<std::int64_t>(samples.size()) != rows) {
      throw ArgumentError("the context of a pass names " + std::to_string(samples.size()) +
                          " samples but the batch has " + std::to_string(rows));
    }
    return samples;
  }
  std::vector<std::int64_t> indices(static_cast<std::size_t>(rows));
  std::iota(indices.begin(), indices.end(), first_sample);
  return indices;
}

}  // namespace cubcal
