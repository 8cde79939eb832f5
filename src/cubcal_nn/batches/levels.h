#pragma once

#include <ATen/core/Tensor.h>

/// Images are kept as whole levels: uint8, or 16 bits. LibTorch 1.13 has no unsigned 16-bit type,
/// so those lie in int16 tensors whose bits are the unsigned level.
namespace cubcal {

bool holds_levels(const at::Tensor& images);

/// The level of white: 255 or 65535.
std::int64_t largest_level(const at::Tensor& images);

/// float32 of the same shape and device, from 0 to the largest level.
at::Tensor levels_as_float(const at::Tensor& images);

/// Rounds to levels of the type that has this largest one.
at::Tensor float_as_levels(const at::Tensor& values, std::int64_t largest);

}  // namespace cubcal
