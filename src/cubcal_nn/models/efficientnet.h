#pragma once

#include <memory>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// EfficientNet-B0 (Tan and Le 2019) with torchvision's parameter names: inverted residual blocks
/// with squeeze and excitation, SiLU throughout. Head: dropout 0.2 and `classifier.1`. Training
/// leaves no block out at random (stochastic depth), as torchvision's would.
std::unique_ptr<Network> make_efficientnet_b0(const NetworkOptions& options);

}  // namespace cubcal
