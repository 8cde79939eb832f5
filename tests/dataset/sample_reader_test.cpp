#include "cubcal/dataset/sample_reader.h"

#include <gtest/gtest.h>

#include "cubcal/core/parallel.h"
#include "cubcal/io/npz.h"
#include "dataset/set_fixtures.h"

namespace cubcal::test {
namespace {

/// A gray PNG file of two pixels, 7 and 200.
const std::string kTwoPixels(
    "\x89\x50\x4e\x47\x0d\x0a\x1a\x0a\x00\x00\x00\x0d\x49\x48\x44\x52"
    "\x00\x00\x00\x02\x00\x00\x00\x01\x08\x00\x00\x00\x00\xd1\x49\x20"
    "\x56\x00\x00\x00\x0b\x49\x44\x41\x54\x78\xda\x63\x60\x3f\x01\x00"
    "\x00\xd9\x00\xd0\x44\x02\x55\xdb\x00\x00\x00\x00\x49\x45\x4e\x44"
    "\xae\x42\x60\x82",
    68);

TEST(SampleReader, DecodesFiles) {
  SetFolder set;
  set.write("a/1.png", kTwoPixels);
  set.write("b/1.png", "no image");
  const Catalog catalog = set.open();
  const SampleReader reader(catalog);
  const Image image = reader.read(0);
  EXPECT_EQ(image.width, 2u);
  EXPECT_EQ(image.height, 1u);
  EXPECT_EQ(image.pixels, (std::vector<std::uint8_t>{7, 200}));
  EXPECT_TRUE(contains(message_of<DataError>([&] { reader.read(1); }), set.file("b/1.png")));
}

TEST(SampleReader, ReadsNpzSetsAndManifestsOfThem) {
  SetFolder set;
  std::vector<std::uint8_t> pixels(40 * 2 * 3 * 3);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i % 251);
  std::vector<std::int64_t> labels(40);
  for (std::size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<std::int64_t>(i % 2);
  NpzWriter writer(set.file("s.npz"));
  writer.add("val_images", ArrayView<const std::uint8_t>(pixels), {40, 2, 3, 3});
  writer.add("val_labels", ArrayView<const std::int64_t>(labels), {40});
  writer.finish();
  write_manifest(set.file("list.csv"), set.open("s.npz"));
  for (const char* name : {"s.npz", "list.csv"}) {
    const Catalog catalog = set.open(name);
    const SampleReader reader(catalog);
    parallel_blocks(40, 3, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = first; i < last; ++i) {
        const Image image = reader.read(i);
        EXPECT_EQ(image.height, 2u);
        EXPECT_EQ(image.width, 3u);
        EXPECT_EQ(image.channels, 3u);
        EXPECT_TRUE(std::equal(image.pixels.begin(), image.pixels.end(), pixels.begin() + i * 18));
      }
    });
  }
  Catalog wrong = set.open("s.npz");
  wrong.samples[0].file = "val/40";
  wrong.samples[1].file = "train/0";
  const SampleReader reader(wrong);
  const std::string file = "'" + set.file("s.npz") + "'";
  EXPECT_EQ(message_of<DataError>([&] { reader.read(0); }), file + " has no image val/40");
  EXPECT_EQ(message_of<DataError>([&] { reader.read(1); }), file + " has no image train/0");
}

TEST(SampleReader, TellsOfAllBadFilesAtOnce) {
  EXPECT_EQ(bad_files_message({{3, "'a' is damaged"}}),
            "1 image cannot be decoded: 'a' is damaged");
  std::vector<BadFile> bad;
  for (std::size_t i = 0; i < 12; ++i) bad.push_back({i, "'" + std::to_string(i) + "' is cut"});
  const std::string all = bad_files_message(bad);
  EXPECT_TRUE(contains(all, "12 images cannot be decoded: '0' is cut; '1' is cut; "));
  EXPECT_TRUE(contains(all, "; '9' is cut and 2 more"));
}

}  // namespace
}  // namespace cubcal::test
