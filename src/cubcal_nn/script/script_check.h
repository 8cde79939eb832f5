#pragma once

#include <string>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// Runs a TorchScript network on drawn images, alone and together. Throws DataError, naming the
/// file, where it cannot be run on one image, gives no finite logits or what must be probabilities,
/// where its dropout changes nothing, or where it gives other logits the second time. Returns
/// whether each image is predicted among others as alone: to 1e-4 of the largest logit.
bool images_are_independent(const Network& network, const std::string& file);

}  // namespace cubcal
