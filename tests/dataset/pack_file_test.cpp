#include "cubcal/dataset/pack_file.h"

#include <gtest/gtest.h>

#include <tuple>

#include "cubcal/dataset/load_samples.h"
#include "cubcal/dataset/selection.h"
#include "cubcal/weights/safetensors.h"
#include "dataset/image_files.h"

namespace cubcal {
namespace {

using test::message_of;
using test::TemporaryFolder;

SampleBlock small_block(const TemporaryFolder& folder) {
  test::write_small_set(folder);
  return load_samples(open_catalog(folder.path()), {});
}

TEST(PackFile, ComesBackAsItWas) {
  const TemporaryFolder folder;
  const SampleBlock block = small_block(folder);
  const std::string path = folder.file("set.safetensors");
  const std::string hash = write_pack(path, block);
  EXPECT_EQ(hash, content_hash(block));
  const SampleBlock back = read_pack(path);
  EXPECT_EQ(content_hash(back), hash);
  EXPECT_EQ(back.catalog.kind, CatalogKind::kPack);
  EXPECT_EQ(back.catalog.class_names, block.catalog.class_names);
  EXPECT_EQ(back.catalog.columns, block.catalog.columns);
  ASSERT_EQ(back.catalog.samples.size(), block.catalog.samples.size());
  for (std::size_t i = 0; i < back.catalog.samples.size(); ++i) {
    const Sample& a = back.catalog.samples[i];
    const Sample& b = block.catalog.samples[i];
    EXPECT_EQ(std::tie(a.file, a.label, a.label_name, a.group, a.split, a.metadata),
              std::tie(b.file, b.label, b.label_name, b.group, b.split, b.metadata));
  }
}

TEST(PackFile, RowsCanBeChosenFromIt) {
  const TemporaryFolder folder;
  const std::string path = folder.file("set.safetensors");
  write_pack(path, small_block(folder));
  const SampleBlock all = open_samples(path, {}, [](const Catalog& catalog) { return catalog; });
  EXPECT_EQ(all.images.shape()[0], 6U);
  const auto scanner_b = [](const Catalog& catalog) {
    return select(catalog, {{parse_row_filter("scanner=B")}, {}, {}});
  };
  const SampleBlock some = open_samples(path, {}, scanner_b);
  ASSERT_EQ(some.images.shape()[0], 3U);
  EXPECT_EQ(some.catalog.samples[0].file, "image 3.png");
  EXPECT_EQ(some.images.as<std::uint8_t>()[0], 30);
  EXPECT_EQ(content_hash(some), content_hash(open_samples(folder.path(), {}, scanner_b)))
      << "the same rows, decoded";
}

TEST(PackFile, RefusesAnotherShape) {
  const TemporaryFolder folder;
  const std::string path = folder.file("set.safetensors");
  write_pack(path, small_block(folder));
  LoadOptions options;
  options.shape.height = options.shape.width = 4;
  const auto everything = [](const Catalog& catalog) { return catalog; };
  EXPECT_EQ(
      message_of<ArgumentError>([&] { open_samples(path, options, everything); }),
      "the pack '" + path +
          "' holds images of 1 x 8 x 8, not of the size, the channels or the reduction asked for: "
          "pack the set anew");
}

TEST(PackFile, RefusesOtherFilesAndDamage) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.safetensors");
  const std::int64_t value = 1;
  write_safetensors(path, {{"a", DType::kI64, {1}, reinterpret_cast<const std::byte*>(&value)}});
  EXPECT_EQ(message_of<DataError>([&] { read_pack(path); }),
            "'" + path + "' is not a pack of images: its metadata has no format");
  write_pack(path, small_block(folder));
  std::string bytes = read_text_file(path, 1 << 20);
  const std::size_t level = bytes.find(std::string(9, '\x0a'));  // in the image of level 10
  ASSERT_NE(level, std::string::npos);
  bytes[level] = '\x0b';
  write_file_atomically(path, bytes);
  const std::string text = message_of<DataError>([&] { read_pack(path); });
  EXPECT_NE(text.find("the file is damaged"), std::string::npos) << text;
}

}  // namespace
}  // namespace cubcal
