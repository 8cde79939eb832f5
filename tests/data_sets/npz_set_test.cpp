#include "cubcal/data/npz_set.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/npz.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::message_of;
using test::TemporaryFolder;

std::vector<std::uint8_t> ramp(std::size_t count) {
  std::vector<std::uint8_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i);
  return values;
}

/// Loads a file of one split 'train' and gives the complaint without the file's folder.
std::string complaint(const std::vector<std::size_t>& image_shape,
                      const std::vector<std::int64_t>& labels,
                      const std::vector<std::size_t>& label_shape) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npz");
  std::size_t pixels = 1;
  for (const std::size_t extent : image_shape) pixels *= extent;
  NpzWriter writer(path);
  writer.add("train_images", ArrayView<const std::uint8_t>(ramp(pixels)), image_shape);
  writer.add("train_labels", ArrayView<const std::int64_t>(labels), label_shape);
  writer.finish();
  std::string text = message_of<DataError>([&] { load_npz_set(path); });
  const std::size_t at = text.find(folder.path() + "/");
  return at == std::string::npos ? text : text.erase(at, folder.path().size() + 1);
}

TEST(NpzSet, ReadsGrayAndColour) {
  const TemporaryFolder folder;
  const std::string path = folder.file("set.npz");
  {
    NpzWriter writer(path);
    const std::vector<std::uint8_t> pixels = ramp(2 * 2 * 2 * 3), labels = {1, 2};
    writer.add("train_images", ArrayView<const std::uint8_t>(pixels), {2, 2, 2, 3});
    writer.add("train_labels", ArrayView<const std::uint8_t>(labels), {2, 1});
    writer.add("test_images", ArrayView<const std::uint8_t>(pixels), {2, 2, 2, 3});
    writer.add("test_labels", ArrayView<const std::uint8_t>(labels), {2});
    writer.finish();
  }
  const ImageSet set = load_npz_set(path);
  EXPECT_EQ(set.split_names(), (std::vector<std::string>{"train", "test"}));
  EXPECT_EQ(set.class_names, (std::vector<std::string>{"0", "1", "2"}));
  const ImageSplit& train = set.split("train");
  EXPECT_EQ(train.images.sizes(), (at::IntArrayRef{2, 3, 2, 2}));
  EXPECT_EQ(train.images[1][2][0][1].item<int>(), 12 + 3 + 2);
  EXPECT_EQ(train.labels[1].item<std::int64_t>(), 2);
  EXPECT_FALSE(train.groups.defined());
  EXPECT_EQ(examine_image_set(set).size(), 2u);  // no image of class 0 in either split

  NpzWriter gray(path);
  gray.add("val_images", ArrayView<const std::uint8_t>(ramp(12)), {3, 2, 2});
  gray.add("val_labels", ArrayView<const std::int64_t>(std::vector<std::int64_t>{0, 1, 0}), {3});
  gray.finish();
  EXPECT_EQ(load_npz_set(path).split("val").images.sizes(), (at::IntArrayRef{3, 1, 2, 2}));
}

TEST(NpzSet, SaysWhichArrayIsWrong) {
  EXPECT_EQ(complaint({2, 4}, {0, 1}, {2}),
            "the array 'train_images' of 'a.npz' is uint8 of shape (2, 4); images must be uint8 of "
            "shape (n, H, W), (n, H, W, 1) or (n, H, W, 3)");
  EXPECT_EQ(complaint({0, 4, 4}, {}, {0}), "the array 'train_images' of 'a.npz' holds no images");
  EXPECT_EQ(complaint({2, 2, 2}, {0, 1, 1, 0}, {2, 2}),
            "the array 'train_labels' of 'a.npz' has shape (2, 2); one label for each of the 2 "
            "images is needed, of shape (n,) or (n, 1)");
  EXPECT_EQ(complaint({2, 2, 2}, {0}, {1}),
            "the array 'train_labels' of 'a.npz' has shape (1,); one label for each of the 2 "
            "images is needed, of shape (n,) or (n, 1)");
  EXPECT_EQ(complaint({2, 2, 2}, {0, -1}, {2}),
            "the array 'train_labels' of 'a.npz' holds the label -1; labels must be in 0..9999");
}

TEST(NpzSet, NeedsASplit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("a.npz");
  NpzWriter writer(path);
  writer.add("images", ArrayView<const std::uint8_t>(ramp(4)), {1, 2, 2});
  writer.finish();
  EXPECT_EQ(message_of<DataError>([&] { load_npz_set(path); }),
            "'" + path + "' has none of the arrays 'train_images', 'val_images' and 'test_images'");
  EXPECT_THROW(load_npz_set(folder.file("absent.npz")), IoError);
}

TEST(NpzSet, ReadsPneumoniaMnist) {
  const std::string path = CUBCAL_SHARED_DIR "/data/formats/pneumoniamnist.npz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the real file is not here";
  const ImageSet set = load_npz_set(path);
  EXPECT_EQ(set.split("train").images.sizes(), (at::IntArrayRef{2428, 1, 28, 28}));
  EXPECT_EQ(set.split("val").size(), 270);
  EXPECT_EQ(set.split("test").size(), 468);
  EXPECT_EQ(set.classes(), 2u);
  EXPECT_TRUE(examine_image_set(set).empty());
  EXPECT_EQ(class_counts(set.split("test"), 2), (std::vector<std::int64_t>{234, 234}));
}

}  // namespace
}  // namespace cubcal
