#pragma once

#include <memory>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// COVID-Net-Large (Wang et al. 2020), the paper's BCXR-Net when variational. Four stages of
/// projection-expansion-projection-extension units, PEPX(i, o) = 1x1 i -> i/2, 1x1 -> 3i/4, 3x3
/// depthwise, 1x1 -> i/2, 1x1 -> o, batch norm, each fed by the sum of all earlier units of its
/// stage and the stage's 1x1 shortcut. The first linear layer is made for the image size: at 224 x
/// 224 and three classes the network has 23,230,587 parameters.
std::unique_ptr<Network> make_covidnet_large(const NetworkOptions& options);

}  // namespace cubcal
