#include "cubcal/dataset/image_fit.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal/image/image_resize.h"

namespace cubcal {
namespace {

Image ramp(std::size_t height, std::size_t width, std::size_t channels = 1) {
  Image image{height, width, channels, {}, {}};
  for (std::size_t i = 0; i < height * width * channels; ++i) {
    image.pixels.push_back(static_cast<std::uint8_t>(i * 7 % 251));
  }
  return image;
}

TEST(ImageFit, KeepsAnImageThatHasTheSize) {
  for (const ImageFit fit : {ImageFit::kStretch, ImageFit::kCrop}) {
    EXPECT_EQ(fit_image(ramp(5, 7), fit, 5, 7).pixels, ramp(5, 7).pixels);
  }
}

TEST(ImageFit, StretchTakesTheWholeImage) {
  EXPECT_EQ(fit_image(ramp(12, 40), ImageFit::kStretch, 6, 6).pixels,
            resize_image(ramp(12, 40), 6, 6).pixels);
}

TEST(ImageFit, CropKeepsProportionsAndTakesTheMiddle) {
  for (const auto& [height, width] : {std::pair<std::size_t, std::size_t>{30, 47}, {47, 30}}) {
    const Image image = ramp(height, width, 3);
    const Image expected = centre_crop(resize_shorter_side(image, 12), 12, 12);
    EXPECT_EQ(fit_image(image, ImageFit::kCrop, 12, 12).pixels, expected.pixels);
  }
  const Image wide = fit_image(ramp(10, 10), ImageFit::kCrop, 5, 20);
  EXPECT_EQ(wide.height, 5U);
  EXPECT_EQ(wide.width, 20U);
  EXPECT_EQ(wide.pixels, centre_crop(resize_image(ramp(10, 10), 20, 20), 5, 20).pixels);
}

TEST(ImageFit, HasNames) {
  EXPECT_EQ(parse_image_fit(image_fit_name(ImageFit::kCrop)), ImageFit::kCrop);
  EXPECT_EQ(parse_image_fit("stretch"), ImageFit::kStretch);
  EXPECT_THROW(parse_image_fit("pad"), ArgumentError);
}

}  // namespace
}  // namespace cubcal
