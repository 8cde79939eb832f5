#include "cubcal/dataset/npz_catalog.h"

#include <gtest/gtest.h>

#include "cubcal/io/npz.h"
#include "dataset/set_fixtures.h"

namespace cubcal::test {
namespace {

std::vector<std::uint8_t> ramp(std::size_t count) {
  std::vector<std::uint8_t> values(count);
  for (std::size_t i = 0; i < count; ++i) values[i] = static_cast<std::uint8_t>(i);
  return values;
}

/// What is said of a file of one split 'train'.
std::string complaint(const std::vector<std::size_t>& image_shape,
                      const std::vector<std::int64_t>& labels,
                      const std::vector<std::size_t>& label_shape) {
  const SetFolder set;
  std::size_t pixels = 1;
  for (const std::size_t extent : image_shape) pixels *= extent;
  NpzWriter writer(set.file("a.npz"));
  writer.add("train_images", ArrayView<const std::uint8_t>(ramp(pixels)), image_shape);
  writer.add("train_labels", ArrayView<const std::int64_t>(labels), label_shape);
  writer.finish();
  const std::string text = message_of<DataError>([&] { read_npz_set(set.file("a.npz")); });
  EXPECT_EQ(message_of<DataError>([&] { set.open("a.npz"); }), text);
  return set.complaint("a.npz");
}

TEST(NpzCatalog, ListsImagesBySplit) {
  const SetFolder set;
  NpzWriter writer(set.file("set.npz"));
  const std::vector<std::uint8_t> labels = {1, 2};
  writer.add("test_images", ArrayView<const std::uint8_t>(ramp(24)), {2, 2, 2, 3});
  writer.add("test_labels", ArrayView<const std::uint8_t>(labels), {2});
  writer.add("train_images", ArrayView<const std::uint8_t>(ramp(8)), {2, 2, 2});
  writer.add("train_labels", ArrayView<const std::uint8_t>(labels), {2, 1});
  writer.finish();
  const Catalog catalog = set.open("set.npz");
  EXPECT_EQ(catalog.kind, CatalogKind::kNpz);
  EXPECT_EQ(catalog.class_names, (Names{"0", "1", "2"}));
  EXPECT_EQ(files_of(catalog), (Names{"train/0", "train/1", "test/0", "test/1"}));
  EXPECT_EQ(catalog.samples[3].label, 2);
  EXPECT_EQ(catalog.samples[3].label_name, "2");
  EXPECT_EQ(catalog.file_path(catalog.samples[3]), set.file("set.npz/test/1"));

  const NpzSet arrays = read_npz_set(set.file("set.npz"));
  ASSERT_EQ(arrays.splits.size(), 2u);
  EXPECT_EQ(arrays.classes, 3u);
  EXPECT_EQ(arrays.splits[0].channels(), 1u);
  EXPECT_EQ(arrays.splits[1].channels(), 3u);
  EXPECT_EQ(arrays.splits[1].pixels(1)[5], 17);
  EXPECT_EQ(arrays.splits[1].labels, (std::vector<std::int64_t>{1, 2}));
}

TEST(NpzCatalog, SaysWhichArrayIsWrong) {
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

TEST(NpzCatalog, NeedsASplit) {
  const SetFolder set;
  NpzWriter writer(set.file("a.npz"));
  writer.add("images", ArrayView<const std::uint8_t>(ramp(4)), {1, 2, 2});
  writer.finish();
  EXPECT_EQ(set.complaint("a.npz"),
            "'a.npz' has none of the arrays 'train_images', 'val_images' and 'test_images'");
  EXPECT_EQ(message_of<DataError>([&] { npz_split_size(set.file("a.npz"), "val"); }),
            "'" + set.file("a.npz") + "' has no array 'val_images'");
  set.write("b.npz", "no archive");
  EXPECT_TRUE(contains(set.complaint("b.npz"), "b.npz"));
}

TEST(NpzCatalog, NamesItsImagesByPath) {
  const auto member = npz_member("sets/A.NPZ/train/17");
  ASSERT_TRUE(member.has_value());
  EXPECT_EQ(member->file, "sets/A.NPZ");
  EXPECT_EQ(member->split, "train");
  EXPECT_EQ(member->index, 17u);
  for (const char* path : {"a.npz", "a.npz/train", "a.npz/train/", "a.npz/train/1x", "a.npz//1",
                           "a.npz/train/-1", "a/train/1", "a.npz/train/99999999999999999999"}) {
    EXPECT_FALSE(npz_member(path).has_value()) << path;
  }
}

}  // namespace
}  // namespace cubcal::test
