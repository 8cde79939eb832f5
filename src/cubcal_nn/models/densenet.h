#pragma once

#include <memory>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// DenseNet-121 (Huang et al. 2017), the usual network for chest X-rays, with torchvision's
/// parameter names. Each layer of a block sees the outputs of all before it: norm - ReLU - 1x1 to
/// 128 channels - norm - ReLU - 3x3 to 32. Head: dropout 0.2 and `classifier`.
std::unique_ptr<Network> make_densenet121(const NetworkOptions& options);

}  // namespace cubcal
