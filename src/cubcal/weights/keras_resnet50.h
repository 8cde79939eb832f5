#pragma once

#include "cubcal/weights/layers_model.h"

namespace cubcal {

/// Keras' ResNet-50 (keras.applications, the layers res2a_branch2a ... fc1000) under torchvision's
/// names and conventions, with equal outputs:
///
/// - kernels [H, W, in, out] become [out, in, H, W], the last layer's [in, out] becomes [out, in];
/// - a convolution's bias b moves into the batch norm behind it: mean - b;
/// - batch norm here adds 1e-5 to the variance, so variance + epsilon - 1e-5;
/// - the first layer takes RGB in [0, 1] less ImageNet's mean over its deviation, where Keras'
/// takes
///   BGR of 0 to 255 less (103.939, 116.779, 123.68): weights times 255 deviation, and the means'
///   difference d in bn1's mean. Behind the image's edge Keras has 0 where this has d, at most half
///   of a grey level, so the outermost pixels of the first layer differ by that much;
/// - the first layer and bn1's statistics are divided by 57.63, their deviation in Keras' units:
///   batch norm makes the scale free, and weights of usual size suit a N(0, 1) prior and MOPED.
///
/// Keras strides the first 1x1 convolution of a stage: the network "resnet50-v1", not "resnet50".
/// Throws DataError where a layer is missing, unknown or of a shape that does not fit the others.
StateDict torchvision_resnet50(const LayersModel& keras);

}  // namespace cubcal
