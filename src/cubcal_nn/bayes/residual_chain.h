#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "cubcal_nn/bayes/layers.h"

/// Parts of residual networks in a fused training step, as single nodes of autograd that keep for
/// the way back only what their convolutions give. What follows those (batch norm, ReLU, the sum
/// with the shortcut) is made again there from them, which costs a few passes over the images and
/// halves the memory of a step.
namespace cubcal {

/// relu(layers(x) + shortcut(x)), with ReLU between the layers; x itself where there is no
/// shortcut. Convolutions have no bias.
struct ResidualLayers {
  std::vector<NormedConv> layers;
  std::optional<NormedConv> shortcut;
};

/// The blocks one after another.
at::Tensor residual_chain(const at::Tensor& x, std::vector<ResidualLayers> blocks);

/// Batch norm of what a convolution gave, ReLU, and the largest of every 3 x 3 pixels, 2 apart.
at::Tensor norm_relu_pool(const at::Tensor& x, const NormPlace& norm);

}  // namespace cubcal
