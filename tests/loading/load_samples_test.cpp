#include "cubcal/loading/load_samples.h"

#include <gtest/gtest.h>

#include "cubcal/core/parallel.h"
#include "cubcal/io/image_resize.h"
#include "loading/image_files.h"

namespace cubcal {
namespace {

using test::marked_image;
using test::message_of;
using test::TemporaryFolder;

void write_png(const TemporaryFolder& folder, const std::string& name, const Image& image) {
  write_file_atomically(folder.file(name), encode_png(image));
}

TEST(LoadSamples, OrdersBySplitAndKeepsWhatIsKnown) {
  const TemporaryFolder folder;
  test::write_small_set(folder);
  const SampleBlock block = load_samples(open_catalog(folder.path()), {});
  EXPECT_EQ(block.images.shape(), (std::vector<std::size_t>{6, 1, 8, 8}));
  EXPECT_EQ(block.images.dtype(), DType::kU8);
  const std::vector<SplitRange> ranges = split_ranges(block.catalog);
  ASSERT_EQ(ranges.size(), 4U);
  EXPECT_EQ(ranges[0].split, "train");
  EXPECT_EQ(ranges[0].last, 2U);
  EXPECT_EQ(ranges[3].split, "ood");
  EXPECT_EQ(block.catalog.samples[0].file, "image 1.png");
  EXPECT_EQ(block.catalog.samples[0].metadata, (std::vector<std::string>{"A"}));
  EXPECT_EQ(block.images.as<std::uint8_t>()[0], 10);
  EXPECT_EQ(block.images.as<std::uint8_t>()[10], 255);
  EXPECT_EQ(block.images.as<std::uint8_t>()[64], 30) << "the second image";
}

TEST(LoadSamples, DoesNotDependOnTheNumberOfThreads) {
  const TemporaryFolder folder;
  test::write_small_set(folder);
  LoadOptions options;
  options.shape.height = options.shape.width = 5;
  set_thread_count(1);
  const std::string alone = content_hash(load_samples(open_catalog(folder.path()), options));
  set_thread_count(4);
  EXPECT_EQ(content_hash(load_samples(open_catalog(folder.path()), options)), alone);
  set_thread_count(0);
}

TEST(LoadSamples, ColourAndDepthFollowTheImages) {
  const TemporaryFolder folder;
  write_png(folder, "a.png", marked_image(4, 4, 1, 7));
  write_png(folder, "b.png", marked_image(4, 4, 3, 9));
  Image deep{4, 4, 1, {}, std::vector<std::uint16_t>(16, 1000)};
  write_png(folder, "c.png", deep);
  const Catalog catalog = open_catalog(folder.path());
  const SampleBlock block = load_samples(catalog, {});
  EXPECT_EQ(block.images.shape(), (std::vector<std::size_t>{3, 3, 4, 4}));
  ASSERT_TRUE(block.is_deep());
  EXPECT_EQ(block.images.as<std::uint16_t>()[0], 7 * 257) << "8 bits spread over 16";
  EXPECT_EQ(block.images.as<std::uint16_t>()[2 * 48], 1000) << "16 bits as they are";
  LoadOptions options;
  options.shape.channels = 1;
  options.shape.keep_16_bits = false;
  const SampleBlock gray = load_samples(catalog, options);
  EXPECT_EQ(gray.images.shape(), (std::vector<std::size_t>{3, 1, 4, 4}));
  EXPECT_EQ(gray.images.as<std::uint8_t>()[2 * 16], 4) << "1000 / 257, rounded";
}

TEST(LoadSamples, ImagesOfAllResolutionsAreReducedAlike) {
  const TemporaryFolder folder;
  Image sharp{32, 48, 1, {}, {}};
  for (std::size_t i = 0; i < 32 * 48; ++i) {
    sharp.pixels.push_back(static_cast<std::uint8_t>(i * i % 251));
  }
  const Image coarse = resize_shorter_side(sharp, 8);
  write_png(folder, "sharp.png", sharp);
  write_png(folder, "coarse.png", coarse);
  LoadOptions options;
  options.shape.height = options.shape.width = 16;
  const auto levels = [&] {
    const SampleBlock block = load_samples(open_catalog(folder.path()), options);
    const auto* first = block.images.as<std::uint8_t>();
    return std::pair(std::vector<std::uint8_t>(first, first + 256),
                     std::vector<std::uint8_t>(first + 256, first + 512));
  };
  EXPECT_NE(levels().first, levels().second);
  options.shape.reduce_to = 8;
  EXPECT_EQ(levels().first, levels().second);
  EXPECT_EQ(levels().first, fit_image(coarse, ImageFit::kStretch, 16, 16).pixels);
  EXPECT_EQ(load_samples(open_catalog(folder.path()), options).reduce_to, 8U);
}

TEST(LoadSamples, AsksForASizeWhereImagesDiffer) {
  const TemporaryFolder folder;
  write_png(folder, "a.png", marked_image(4, 4, 1, 7));
  write_png(folder, "b.png", marked_image(4, 6, 1, 7));
  const Catalog catalog = open_catalog(folder.path());
  EXPECT_EQ(message_of<DataError>([&] { load_samples(catalog, {}); }),
            "images differ in size: 'a.png' has 4 x 4 pixels and 'b.png' 4 x 6; give the size they "
            "are to be brought to");
  LoadOptions options;
  options.shape.height = options.shape.width = 3;
  EXPECT_EQ(load_samples(catalog, options).images.shape(), (std::vector<std::size_t>{2, 1, 3, 3}));
}

TEST(LoadSamples, ListsEveryBadFileOrSkipsThem) {
  const TemporaryFolder folder;
  write_png(folder, "good.png", marked_image(4, 4, 1, 7));
  const std::string png = encode_png(marked_image(4, 4, 1, 8));
  write_file_atomically(folder.file("cut.png"), png.substr(0, png.size() / 2));
  write_file_atomically(folder.file("no image.png"), "\x89PNG\r\n\x1a\n nothing");
  const Catalog catalog = open_catalog(folder.path());
  const std::string text = message_of<DataError>([&] { load_samples(catalog, {}); });
  EXPECT_NE(text.find("cut.png"), std::string::npos) << text;
  EXPECT_NE(text.find("no image.png"), std::string::npos) << text;
  LoadOptions options;
  options.bad_files = BadFilePolicy::kSkip;
  const SampleBlock block = load_samples(catalog, options);
  EXPECT_EQ(block.images.shape()[0], 1U);
  EXPECT_EQ(block.catalog.samples[0].file, "good.png");
  EXPECT_EQ(block.skipped.size(), 2U);
}

TEST(LoadSamples, CanBeStopped) {
  const TemporaryFolder folder;
  test::write_small_set(folder);
  LoadOptions options;
  options.interrupted = [] { return true; };
  EXPECT_THROW(load_samples(open_catalog(folder.path()), options), Interrupted);
}

TEST(LoadSamples, RefusesShapesThatDoNotExist) {
  const TemporaryFolder folder;
  test::write_small_set(folder);
  LoadOptions options;
  options.shape.channels = 2;
  EXPECT_EQ(message_of<ArgumentError>([&] { load_samples(open_catalog(folder.path()), options); }),
            "images can be loaded with 1 or 3 channels, not 2");
  options = {};
  options.shape.height = 4;
  EXPECT_THROW(load_samples(open_catalog(folder.path()), options), ArgumentError);
}

}  // namespace
}  // namespace cubcal
