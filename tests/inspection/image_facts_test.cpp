#include "cubcal/inspection/image_facts.h"

#include <gtest/gtest.h>

#include <mutex>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "inspection/photographs.h"

namespace cubcal::test {
namespace {

TEST(ImageFacts, LevelsAndShape) {
  const ImageFacts facts = image_facts({1, 4, 1, {0, 10, 20, 30}, {}});
  EXPECT_EQ(facts.height, 1U);
  EXPECT_EQ(facts.width, 4U);
  EXPECT_EQ(facts.channels, 1U);
  EXPECT_EQ(facts.bits, 8);
  EXPECT_EQ(facts.min_level, 0);
  EXPECT_EQ(facts.max_level, 30);
  EXPECT_DOUBLE_EQ(facts.mean_level, 15);
  EXPECT_NEAR(facts.level_deviation, std::sqrt(125.0), 1e-12);
  EXPECT_FALSE(facts.is_constant());
  EXPECT_TRUE(facts.is_readable());
}

TEST(ImageFacts, SixteenBits) {
  const ImageFacts facts = image_facts({2, 1, 1, {}, {65535, 1}});
  EXPECT_EQ(facts.bits, 16);
  EXPECT_EQ(facts.max_level, 65535);
  EXPECT_DOUBLE_EQ(facts.mean_level, 32768);
}

TEST(ImageFacts, AConstantImageHasNoAppearance) {
  const ImageFacts facts = image_facts(flat(77));
  EXPECT_TRUE(facts.is_constant());
  EXPECT_FALSE(facts.appearance);
  EXPECT_FALSE(facts.enlargement);
}

TEST(PixelHash, TellsPixelsAndShapesApart) {
  const Image image = photograph(1, 64, 64);
  Image changed = image;
  changed.pixels[1000] = static_cast<std::uint8_t>(changed.pixels[1000] ^ 1);
  EXPECT_EQ(pixel_hash(image), pixel_hash(Image(image)));
  EXPECT_NE(pixel_hash(image), pixel_hash(changed));
  EXPECT_NE(pixel_hash(flat(9, 2, 8)), pixel_hash(flat(9, 8, 2)));
  EXPECT_NE(pixel_hash({1, 1, 1, {7}, {}}), pixel_hash({1, 1, 1, {}, {7}}));
  EXPECT_EQ(pixel_hash(image).text().size(), 32U);
}

TEST(PixelHash, GrayStoredAsRgbIsGray) {
  const Image gray = photograph(1, 64, 64);
  const Image rgb = to_channels(gray, 3);
  EXPECT_FALSE(is_gray_as_rgb(gray));
  EXPECT_TRUE(is_gray_as_rgb(rgb));
  EXPECT_EQ(pixel_hash(gray), pixel_hash(rgb));
  Image coloured = rgb;
  coloured.pixels[1] = static_cast<std::uint8_t>(coloured.pixels[1] ^ 1);
  EXPECT_FALSE(is_gray_as_rgb(coloured));
  EXPECT_NE(pixel_hash(coloured), pixel_hash(gray));
}

TEST(PixelHash, EveryLevelOfEveryPixelCounts) {
  std::vector<PixelHash> hashes;
  for (std::size_t pixel = 0; pixel < 24; ++pixel) {
    for (int level = 1; level < 256; ++level) {
      Image image = flat(0, 4, 6);
      image.pixels[pixel] = static_cast<std::uint8_t>(level);
      hashes.push_back(pixel_hash(image));
    }
  }
  std::sort(hashes.begin(), hashes.end());
  EXPECT_EQ(std::adjacent_find(hashes.begin(), hashes.end()), hashes.end());
}

TEST(GatherFacts, KeepsReasonsAndDoesNotDependOnThreads) {
  const auto read = [](std::size_t i) -> Image {
    if (i % 10 == 3) throw DataError("image " + std::to_string(i) + " is damaged");
    return photograph(i, 64, 64);
  };
  std::vector<std::size_t> told;
  set_thread_count(3);
  const auto many =
      gather_facts(40, read, [&](std::size_t done, std::size_t) { told.push_back(done); });
  set_thread_count(1);
  const auto one = gather_facts(40, read);
  set_thread_count(0);
  ASSERT_EQ(many.size(), 40U);
  EXPECT_EQ(many[13].unreadable, "image 13 is damaged");
  EXPECT_FALSE(many[13].is_readable());
  for (std::size_t i = 0; i < 40; ++i) {
    EXPECT_EQ(many[i].pixels, one[i].pixels);
    EXPECT_EQ(many[i].unreadable, one[i].unreadable);
  }
  EXPECT_TRUE(std::is_sorted(told.begin(), told.end()));
  EXPECT_EQ(told.back(), 40U);
}

}  // namespace
}  // namespace cubcal::test
