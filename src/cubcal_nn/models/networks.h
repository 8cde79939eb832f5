#pragma once

#include <memory>

#include "cubcal_nn/models/network.h"

/// The makers of every network: one source file each, listed by name in registry.cpp.
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

/// COVID-Net-Large (Wang et al. 2020), the paper's BCXR-Net when variational. Four stages of
/// projection-expansion-projection-extension units, PEPX(i, o) = 1x1 i -> i/2, 1x1 -> 3i/4, 3x3
/// depthwise, 1x1 -> i/2, 1x1 -> o, batch norm, each fed by the sum of all earlier units of its
/// stage and the stage's 1x1 shortcut. The first linear layer is made for the image size: at 224 x
/// 224 and three classes the network has 23,230,587 parameters.
std::unique_ptr<Network> make_covidnet_large(const NetworkOptions& options);

/// DenseNet-121 (Huang et al. 2017), the usual network for chest X-rays, with torchvision's
/// parameter names. Each layer of a block sees the outputs of all before it: norm - ReLU - 1x1 to
/// 128 channels - norm - ReLU - 3x3 to 32. Head: dropout 0.2 and `classifier`.
std::unique_ptr<Network> make_densenet121(const NetworkOptions& options);

/// EfficientNet-B0 (Tan and Le 2019) with torchvision's parameter names: inverted residual blocks
/// with squeeze and excitation, SiLU throughout. Head: dropout 0.2 and `classifier.1`. Training
/// leaves no block out at random (stochastic depth), as torchvision's would.
std::unique_ptr<Network> make_efficientnet_b0(const NetworkOptions& options);

/// ConvNeXt-Tiny (Liu et al. 2022) with torchvision's parameter names: 7x7 depthwise convolution,
/// layer norm, two linear layers with GELU between, scaled and added. Head: layer norm, dropout 0.1
/// and `classifier.2`. Training leaves no block out at random (stochastic depth), as torchvision's
/// would.
std::unique_ptr<Network> make_convnext_tiny(const NetworkOptions& options);

/// ViT-S/16 (Dosovitskiy et al. 2021; Touvron et al. 2021) with timm's parameter names of
/// vit_small_patch16_224: patches of 16 x 16, 12 blocks of 384 features with 6 heads of attention.
/// Positions are made for the image size, whose sides are multiples of 16. Features for OOD
/// detection: tokens averaged after every third block, then the class token. Head: dropout 0.1 and
/// `head`.
std::unique_ptr<Network> make_vit_s16(const NetworkOptions& options);

}  // namespace cubcal
