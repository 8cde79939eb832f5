#include "cubcal_nn/bayes/gradient_pieces.h"

#include <algorithm>
#include <string>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

/// The layer that comes first is the last whose gradient is known.
std::size_t first_parameter(const ParameterStore& store, const GradientPiece& piece) {
  const std::vector<ParameterEntry>& parameters = store.parameters();
  const auto found =
      std::find_if(parameters.begin(), parameters.end(),
                   [&](const ParameterEntry& parameter) { return overlap(piece, parameter); });
  return static_cast<std::size_t>(found - parameters.begin());
}

}  // namespace

std::vector<GradientPiece> gradient_pieces(const ParameterStore& store, std::int64_t most) {
  if (most < 4 || most % 4 != 0) {
    throw ArgumentError("a piece of the gradient has a multiple of four values, not " +
                        std::to_string(most));
  }
  std::vector<GradientPiece> pieces;
  for (const ParameterKind kind : {ParameterKind::kVariational, ParameterKind::kPoint}) {
    const std::int64_t size =
        kind == ParameterKind::kVariational ? store.variational_size() : store.point_size();
    for (std::int64_t first = 0; first < size; first += most) {
      pieces.push_back({kind, first, std::min(most, size - first)});
    }
  }
  std::stable_sort(pieces.begin(), pieces.end(),
                   [&](const GradientPiece& a, const GradientPiece& b) {
                     return first_parameter(store, a) > first_parameter(store, b);
                   });
  return pieces;
}

bool overlap(const GradientPiece& piece, const ParameterEntry& parameter) {
  return parameter.kind == piece.kind && parameter.offset < piece.first + piece.count &&
         parameter.offset + parameter.size > piece.first;
}

}  // namespace cubcal
