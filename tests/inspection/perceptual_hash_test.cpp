#include "cubcal/inspection/perceptual_hash.h"

#include <gtest/gtest.h>

#include "cubcal/image/jpeg_encoder.h"
#include "cubcal/image/jpeg_image.h"
#include "cubcal/inspection/duplicates.h"
#include "inspection/photographs.h"

namespace cubcal::test {
namespace {

constexpr int kRandomImages = 12;

Appearance look(const Image& image) { return appearance(gray_plane(image)).value(); }

/// Whether near_duplicates with its defaults would say so.
bool look_alike(const Image& a, const Image& b) {
  const NearOptions options;
  return distance(look(a).hash, look(b).hash) <= options.max_distance &&
         correlation(look(a).miniature, look(b).miniature) >= options.min_correlation;
}

TEST(Appearance, SurvivesRecompression) {
  for (std::uint64_t seed = 0; seed < kRandomImages; ++seed) {
    const Image image = photograph(seed);
    const Image again = decode_jpeg(encode_jpeg(image, 40), "buffer");
    ASSERT_NE(image.pixels, again.pixels);
    EXPECT_TRUE(look_alike(image, again)) << seed;
  }
}

TEST(Appearance, SurvivesBrightnessContrastAndSize) {
  for (std::uint64_t seed = 0; seed < kRandomImages; ++seed) {
    const Image image = photograph(seed);
    EXPECT_TRUE(look_alike(image, relit(image, 1, 15))) << seed;
    EXPECT_TRUE(look_alike(image, relit(image, 0.6, 40))) << seed;
    EXPECT_TRUE(look_alike(image, resize_image(image, 120, 150))) << seed;
    EXPECT_TRUE(look_alike(image, to_channels(image, 3))) << seed;
  }
}

TEST(Appearance, TellsDifferentImagesApart) {
  for (std::uint64_t a = 0; a < kRandomImages; ++a) {
    for (std::uint64_t b = 0; b < a; ++b) {
      EXPECT_GT(distance(look(photograph(a)).hash, look(photograph(b)).hash), 60) << a << " " << b;
    }
  }
}

TEST(Appearance, FlatImagesHaveNone) {
  EXPECT_FALSE(appearance(gray_plane(flat(0))));
  Image nearly = flat(100);
  for (std::size_t i = 0; i < nearly.pixels.size(); i += 7) nearly.pixels[i] = 101;
  EXPECT_FALSE(appearance(gray_plane(nearly)));
}

TEST(Appearance, OfImagesSmallerThanItself) {
  const Image image = resize_image(photograph(3), 28, 28);
  EXPECT_TRUE(look_alike(image, relit(image, 0.9, 5)));
  EXPECT_FALSE(look_alike(image, resize_image(photograph(4), 28, 28)));
  EXPECT_TRUE(appearance(gray_plane({1, 2, 1, {0, 255}, {}})));
}

TEST(Appearance, DepthDoesNotMatter) {
  const Image image = photograph(5);
  Image deep{image.height, image.width, 1, {}, {}};
  for (const std::uint8_t level : image.pixels) {
    deep.deep_pixels.push_back(static_cast<std::uint16_t>(level * 16));  // 12 bits in 16
  }
  EXPECT_EQ(distance(look(image).hash, look(deep).hash), 0);
  EXPECT_EQ(look(image).miniature, look(deep).miniature);
}

TEST(Correlation, OfAnImageWithItselfAndItsNegative) {
  const Image image = photograph(6);
  EXPECT_NEAR(correlation(look(image).miniature, look(image).miniature), 1, 1e-12);
  EXPECT_NEAR(correlation(look(image).miniature, look(relit(image, -1, 255)).miniature), -1, 1e-3);
}

}  // namespace
}  // namespace cubcal::test
