#pragma once

#include <memory>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// ViT-S/16 (Dosovitskiy et al. 2021; Touvron et al. 2021) with timm's parameter names of
/// vit_small_patch16_224: patches of 16 x 16, 12 blocks of 384 features with 6 heads of attention.
/// Positions are made for the image size, whose sides are multiples of 16. Features for OOD
/// detection: tokens averaged after every third block, then the class token. Head: dropout 0.1 and
/// `head`.
std::unique_ptr<Network> make_vit_s16(const NetworkOptions& options);

}  // namespace cubcal
