#include <gtest/gtest.h>

#include "cubcal/image/jpeg_encoder.h"
#include "cubcal/image/jpeg_image.h"
#include "cubcal/image/png_encoder.h"
#include "cubcal/image/png_image.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

Image drawn(std::size_t height, std::size_t width, std::size_t channels, bool deep) {
  Image image{height, width, channels};
  for (std::size_t i = 0; i < height * width * channels; ++i) {
    if (deep) {
      image.deep_pixels.push_back(static_cast<std::uint16_t>(i * 40503 % 65536));
    } else {
      image.pixels.push_back(static_cast<std::uint8_t>(i / channels * 200 / (height * width)));
    }
  }
  return image;
}

TEST(PngEncoder, WhatItWritesIsReadBack) {
  for (const bool deep : {false, true}) {
    for (const std::size_t channels : {1U, 3U}) {
      const Image image = drawn(13, 17, channels, deep);
      const Image back = decode_png(encode_png(image), "buffer");
      EXPECT_EQ(back.height, 13U);
      EXPECT_EQ(back.width, 17U);
      EXPECT_EQ(back.channels, channels);
      EXPECT_EQ(back.pixels, image.pixels);
      EXPECT_EQ(back.deep_pixels, image.deep_pixels);
    }
  }
}

TEST(JpegEncoder, WhatItWritesIsReadBackNearly) {
  for (const std::size_t channels : {1U, 3U}) {
    const Image image = drawn(24, 31, channels, false);
    const Image back = decode_jpeg(encode_jpeg(image, 95), "buffer");
    ASSERT_EQ(back.channels, channels);
    ASSERT_EQ(back.pixels.size(), image.pixels.size());
    for (std::size_t i = 0; i < image.pixels.size(); ++i) {
      ASSERT_NEAR(int{back.pixels[i]}, int{image.pixels[i]}, 8) << i;
    }
    EXPECT_LT(encode_jpeg(image, 10).size(), encode_jpeg(image, 95).size());
  }
}

TEST(ImageEncoders, RefuseWhatTheyCannotWrite) {
  const Image image = drawn(2, 2, 1, false);
  expect_error<ArgumentError>([&] { encode_jpeg(image, 0); },
                              "the quality of a JPEG image must be from 1 to 100, not 0");
  expect_error<ArgumentError>([&] { encode_jpeg(drawn(2, 2, 1, true), 90); },
                              "a JPEG image has 8 bits, and the image to be written has 16");
  expect_error<ArgumentError>([&] { encode_jpeg(drawn(1, 70'000, 1, false), 90); },
                              "a JPEG image has at most 65500 pixels on a side");
  for (const auto& encode : {+[](const Image& i) { return encode_png(i); },
                             +[](const Image& i) { return encode_jpeg(i, 90); }}) {
    expect_error<ArgumentError>([&] { encode(Image{}); }, "an image must have 1 or 3 channels");
    expect_error<ArgumentError>([&] { encode(Image{1, 2, 1, {7}}); }, "cannot have 1 levels");
  }
}

}  // namespace
}  // namespace cubcal::test
