#pragma once

#include <cstdint>
#include <optional>

#include "cubcal/core/array_view.h"
#include "cubcal/core/nd_array.h"

namespace cubcal {

/// ECE of probabilities [N,K], float32 or float64, in one walk that keeps nothing of a sample but
/// its bin: equal, to the bit, to expected_calibration_error() of their prediction. Nothing where a
/// row does not sum to 1 within kSumSlack, holds a negative number, or has a label that is no
/// class, and for other shapes and types: these are for predict_probabilities() and sample_facts()
/// to mend or refuse.
std::optional<double> streamed_ece(const NdArray& probabilities,
                                   ArrayView<const std::int64_t> labels, std::size_t bins);

}  // namespace cubcal
