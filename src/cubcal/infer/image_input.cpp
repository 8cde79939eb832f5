#include "cubcal/infer/image_input.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <cstring>

#include "cubcal/core/error.h"

namespace cubcal {

namespace {

/// float32 [1, C, H, W] in levels 0 to 255.
at::Tensor planes(const Image& image) {
  const auto height = static_cast<std::int64_t>(image.height);
  const auto width = static_cast<std::int64_t>(image.width);
  const auto channels = static_cast<std::int64_t>(image.channels);
  at::Tensor bytes = at::empty({1, height, width, channels}, at::kByte);
  std::memcpy(bytes.data_ptr(), image.pixels.data(), image.pixels.size());
  return bytes.permute({0, 3, 1, 2}).to(at::kFloat).contiguous();
}

at::Tensor with_channels(const at::Tensor& image, std::int64_t channels) {
  if (image.size(1) == channels) return image;
  if (image.size(1) == 1 && channels == 3) return image.repeat({1, 3, 1, 1});
  if (image.size(1) == 3 && channels == 1) {
    const at::Tensor luma = at::tensor({0.299F, 0.587F, 0.114F}).view({1, 3, 1, 1});
    return (image * luma).sum(1, /*keepdim=*/true);
  }
  throw DataError("images from files have 1 or 3 channels, and the model takes " +
                  std::to_string(channels));
}

}  // namespace

at::Tensor image_input(const Image& image, const Preprocessing& preprocessing) {
  const c10::NoGradGuard no_grad;
  at::Tensor levels = with_channels(planes(image), preprocessing.channels());
  const bool fits = levels.size(2) == preprocessing.height && levels.size(3) == preprocessing.width;
  if (!fits) {
    levels = at::_upsample_bilinear2d_aa(levels, {preprocessing.height, preprocessing.width},
                                         /*align_corners=*/false);
  }
  return levels.round_().clamp_(0, 255).to(at::kByte);
}

}  // namespace cubcal
