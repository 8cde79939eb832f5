#include "cubcal/inspection/enlargement.h"

#include <gtest/gtest.h>

#include "cubcal/image/jpeg_encoder.h"
#include "cubcal/image/jpeg_image.h"
#include "cubcal/inspection/line_spectrum.h"
#include "inspection/photographs.h"

namespace cubcal::test {
namespace {

constexpr std::uint64_t kImages = 10;

Enlargement judge(const Image& image) { return judge_enlargement(gray_plane(image)).value(); }

TEST(Enlargement, PhotographsAreNotEnlarged) {
  for (std::uint64_t seed = 0; seed < kImages; ++seed) {
    for (const std::size_t side : {80, 192, 256}) {
      const Enlargement found = judge(photograph(seed, side, side));
      EXPECT_FALSE(found.is_enlarged()) << seed << " " << side << " " << found.falloff;
      EXPECT_EQ(found.factor, 1);
    }
  }
}

TEST(Enlargement, FindsEnlargedImagesAndRoughlyHowMuch) {
  for (const double factor : {2.0, 3.0, 4.0, 6.0}) {
    for (std::uint64_t seed = 0; seed < kImages; ++seed) {
      const auto side = static_cast<std::size_t>(256 / factor);
      const Image large = resize_image(photograph(seed, side, side), 256, 256);
      for (const Image& image : {large, decode_jpeg(encode_jpeg(large, 90), "buffer")}) {
        const Enlargement found = judge(image);
        ASSERT_TRUE(found.is_enlarged()) << factor << " " << seed << " " << found.falloff;
        EXPECT_GT(found.factor, 0.65 * factor) << seed;
        EXPECT_LT(found.factor, 1.5 * factor) << seed;
      }
    }
  }
}

TEST(Enlargement, DoesNotDependOnBrightness) {
  const Image image = photograph(2);
  EXPECT_NEAR(judge(image).falloff, judge(relit(image, 0.5, 60)).falloff, 0.05);
}

TEST(Enlargement, IsNotToldOfSmallOrFlatImages) {
  EXPECT_FALSE(judge_enlargement(gray_plane(photograph(1, 63, 200))));
  EXPECT_TRUE(judge_enlargement(gray_plane(photograph(1, 64, 200))));
  EXPECT_FALSE(judge_enlargement(gray_plane(flat(50))));
}

TEST(LineSpectrum, AWaveHasItsFrequency) {
  Image wave = flat(0, 128, 256);
  for (std::size_t y = 0; y < wave.height; ++y) {
    for (std::size_t x = 0; x < wave.width; ++x) {
      const double phase = 3.14159265358979 * 0.25 * static_cast<double>(x);  // v = 1 / 4
      wave.pixels[y * wave.width + x] = static_cast<std::uint8_t>(128 + 100 * std::cos(phase));
    }
  }
  const std::vector<double> power = line_spectrum(gray_plane(wave));
  ASSERT_EQ(power.size(), 65U);
  EXPECT_EQ(std::max_element(power.begin(), power.end()) - power.begin(), 16);
  EXPECT_LT(power[20], 1e-4 * power[16]);
  EXPECT_LT(power[48], 1e-3 * power[16]);
}

TEST(LineSpectrum, HoldsTheVarianceOfNoise) {
  SeedStream random(1, 1);
  Image noise = flat(0, 200, 300);
  for (std::uint8_t& level : noise.pixels) level = static_cast<std::uint8_t>(random.below(256));
  const std::vector<double> power = line_spectrum(gray_plane(noise));
  // White noise: sigma^2 times the sum of the squared window, 3 / 8 of 129, at every frequency.
  const double expected = (256.0 * 256.0 - 1) / 12 * 0.375 * 129;
  for (std::size_t i = 4; i < 64; ++i) EXPECT_NEAR(power[i] / expected, 1, 0.25) << i;
}

}  // namespace
}  // namespace cubcal::test
