#pragma once

#include "cubcal_nn/bayes/layers.h"

namespace cubcal {

/// A convolution without bias, as a norm follows it, that keeps the size of the image but for its
/// stride.
inline Conv2dOptions conv_before_norm(std::int64_t in, std::int64_t out, std::int64_t kernel,
                                      std::int64_t stride = 1) {
  Conv2dOptions options;
  options.in_channels = in;
  options.out_channels = out;
  options.kernel = kernel;
  options.stride = stride;
  options.padding = kernel / 2;
  options.bias = false;
  return options;
}

}  // namespace cubcal
