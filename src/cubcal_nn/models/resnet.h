#pragma once

#include <memory>
#include <string>

#include "cubcal_nn/models/network.h"

namespace cubcal {

/// Residual networks (He et al. 2016) as torchvision builds them and with its parameter names, so
/// that its weights load; its single `fc` is replaced by the paper's head fc.0 - ReLU - dropout -
/// fc.3, or stays, behind dropout, with the linear head. The trunk averages over the image and so
/// takes any size.
///
/// resnet18: head 512 -> 128, dropout 0.1; resnet34: the same (the paper's BResNet-34); resnet50
/// and resnet101: head 2048 -> 512, dropout 0.3 (BResNet-50). resnet50-v1 has the same parameters
/// and strides in the first 1x1 convolution of a stage, as He et al. and Keras, instead of its 3x3.
std::unique_ptr<Network> make_resnet18(const NetworkOptions& options);
std::unique_ptr<Network> make_resnet34(const NetworkOptions& options);
std::unique_ptr<Network> make_resnet50(const NetworkOptions& options);
std::unique_ptr<Network> make_resnet50_v1(const NetworkOptions& options);
std::unique_ptr<Network> make_resnet101(const NetworkOptions& options);

/// A residual network for images of 28 to 64 pixels on a CPU: 5x5/2 stem of 16 channels without
/// pooling, three stages of one basic block with 16, 32 and 64 channels, head 64 -> 32, dropout
/// 0.1; about 3 million multiplications per 32-pixel image.
std::unique_ptr<Network> make_small_resnet(const NetworkOptions& options);

}  // namespace cubcal
