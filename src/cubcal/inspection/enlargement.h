#pragma once

#include <optional>

#include "cubcal/inspection/gray_plane.h"

namespace cubcal {

/// Whether an image holds less detail than its size promises, as one that was enlarged does.
///
/// The power P(v) of the lines of an ordinary photograph falls with the frequency v as 1 / v^2, so
/// that Q(v) = P(v) v^2 stays level up to the Nyquist frequency (v = 1). Enlarging by f leaves
/// nothing of its own above v = 1 / f, and interpolation lets least of all through between 1.5 / f
/// and 2 / f. The falloff is the least of
///   log10( mean of Q over [1.5 / f, 2 / f] / mean of Q over [0.375 / f, 0.75 / f] )
/// over f from 2 to 8. Ordinary images have about -0.7 to 0.2, those enlarged twice or more -0.9
/// and less. Defocus and heavy smoothing look the same.
struct Enlargement {
  double falloff = 0;
  /// How many times, roughly: 1 / v where Q has fallen to a tenth. 1 where it is not enlarged.
  double factor = 1;

  bool is_enlarged() const { return factor > 1; }
};

/// Falloff at which an image counts as enlarged.
inline constexpr double kEnlargedFalloff = -0.9;

/// None where it cannot be told: a side under 64 pixels or a flat image.
std::optional<Enlargement> judge_enlargement(const GrayPlane& plane);

}  // namespace cubcal
