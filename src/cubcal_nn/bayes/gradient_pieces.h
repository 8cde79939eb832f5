#pragma once

#include <cstdint>
#include <vector>

#include "cubcal_nn/bayes/parameter_store.h"

namespace cubcal {

/// Neighbours in the flat gradient of one kind: of Gaussian parameters those of mu and of rho.
struct GradientPiece {
  ParameterKind kind = ParameterKind::kPoint;
  std::int64_t first = 0;
  std::int64_t count = 0;
};

/// A store's flat gradients in pieces of at most `most` values, which need not end where parameters
/// do, in the order in which the way back through the layers completes them. `most` is a multiple
/// of four, as folding wants it (weight_kernels.h).
std::vector<GradientPiece> gradient_pieces(const ParameterStore& store, std::int64_t most);

/// Whether some of the parameter's gradient lies in the piece.
bool overlap(const GradientPiece& piece, const ParameterEntry& parameter);

}  // namespace cubcal
