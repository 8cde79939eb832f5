#pragma once

#include <memory>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// ConvNeXt-Tiny (Liu et al. 2022) with torchvision's parameter names: 7x7 depthwise convolution,
/// layer norm, two linear layers with GELU between, scaled and added. Head: layer norm, dropout 0.1
/// and `classifier.2`. Training leaves no block out at random (stochastic depth), as torchvision's
/// would.
std::unique_ptr<Network> make_convnext_tiny(const NetworkOptions& options);

}  // namespace cubcal
