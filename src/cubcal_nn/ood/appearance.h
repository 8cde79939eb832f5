#pragma once

#include <ATen/core/Tensor.h>

namespace cubcal {

/// What an image looks like before any network has seen it, double [B, A]. A network may give noise
/// or a blank image the features of a training image; these numbers it cannot change. With levels
/// from 0 to 1:
///   of each channel   mean, log10 of the standard deviation, the 5%, 50% and 95% quantiles of the
///                     image averaged down to 32 x 32,
///   of each pair of neighbouring channels   mean and log10 of the mean square of their difference,
///   of the mean of the channels   log10 of the mean square of the detail at 1, 2, 4, 8 and 16
///                     pixels (what averaging over twice as many takes away), and its means over a
///                     4 x 4 grid less the mean of all, the last of which follows from the others.
/// A mean square or deviation below 1e-4 of white counts as that. `images`: [B, C, H, W] in levels.
at::Tensor appearance_of(const at::Tensor& images);

}  // namespace cubcal
