#include "cubcal_nn/batches/sample_set.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "cubcal/dataset/load_samples.h"
#include "cubcal/dataset/pack_file.h"
#include "cubcal/io/npz.h"
#include "dataset/image_files.h"

namespace cubcal {
namespace {

using test::message_of;
using test::TemporaryFolder;

ImageSet set_at(const std::string& path) {
  return to_image_set(open_samples(path, {}, [](const Catalog& catalog) { return catalog; }));
}

TEST(SampleSet, KeepsSplitsLabelsGroupsAndColumns) {
  const TemporaryFolder folder;
  test::write_small_set(folder);
  const ImageSet set = set_at(folder.path());
  EXPECT_EQ(set.kind, "manifest");
  EXPECT_EQ(set.split_names(), (std::vector<std::string>{"train", "val", "test", "ood"}));
  EXPECT_EQ(set.class_names, (std::vector<std::string>{"benign", "malign"}));
  EXPECT_EQ(set.columns, (std::vector<std::string>{"scanner"}));
  const ImageSplit& train = set.split("train");
  EXPECT_EQ(train.files, (std::vector<std::string>{"image 1.png", "image 3.png"}));
  EXPECT_EQ(train.metadata[0], (std::vector<std::string>{"A", "B"}));
  EXPECT_EQ(train.images[1][0][0][0].item<int>(), 30);
  EXPECT_EQ(train.labels[0].item<std::int64_t>(), 1);
  EXPECT_TRUE(train.groups.defined());
  EXPECT_FALSE(train.outliers);
  EXPECT_TRUE(set.split("ood").outliers);
  EXPECT_EQ(set.split("ood").labels[0].item<std::int64_t>(), -1);
}

TEST(SampleSet, HasTheHashOfItsBlockAndOfItsPack) {
  const TemporaryFolder folder;
  test::write_small_set(folder);
  const SampleBlock block = load_samples(open_catalog(folder.path()), {});
  const std::string hash = content_hash(to_image_set(block));
  EXPECT_EQ(content_hash(block), hash);
  const std::string path = folder.file("set.safetensors");
  EXPECT_EQ(write_pack(path, block), hash);
  EXPECT_EQ(content_hash(set_at(path)), hash);
}

TEST(SampleSet, NeedsSplits) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("a.png"), encode_png(test::marked_image(4, 4, 1, 1)));
  EXPECT_EQ(message_of<DataError>([&] { set_at(folder.path()); }),
            "'" + folder.path() + "' is not split: 'a.png' has no split");
}

TEST(SampleSet, ReadsNpzSetsAsTensors) {
  const TemporaryFolder folder;
  const std::string path = folder.file("set.npz");
  std::vector<std::uint8_t> pixels(2 * 2 * 2 * 3);
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i] = static_cast<std::uint8_t>(i);
  NpzWriter writer(path);
  const std::vector<std::uint8_t> labels = {1, 2};
  writer.add("train_images", ArrayView<const std::uint8_t>(pixels), {2, 2, 2, 3});
  writer.add("train_labels", ArrayView<const std::uint8_t>(labels), {2, 1});
  writer.finish();
  const ImageSet set = set_at(path);
  EXPECT_EQ(set.class_names, (std::vector<std::string>{"0", "1", "2"}));
  const ImageSplit& train = set.split("train");
  EXPECT_EQ(train.images.sizes(), (at::IntArrayRef{2, 3, 2, 2}));
  EXPECT_EQ(train.images[1][2][0][1].item<int>(), 12 + 3 + 2);
  EXPECT_FALSE(train.groups.defined());
}

TEST(SampleSet, ReadsPneumoniaMnist) {
  const std::string path = CUBCAL_SHARED_DIR "/data/formats/pneumoniamnist.npz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "the real file is not here";
  const ImageSet set = set_at(path);
  EXPECT_EQ(set.split("train").images.sizes(), (at::IntArrayRef{2428, 1, 28, 28}));
  EXPECT_EQ(set.split("val").size(), 270);
  EXPECT_EQ(class_counts(set.split("test"), 2), (std::vector<std::int64_t>{234, 234}));
}

}  // namespace
}  // namespace cubcal
