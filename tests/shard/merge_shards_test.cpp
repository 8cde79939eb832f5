#include "cubcal/shard/merge_shards.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cubcal/core/error.h"
#include "cubcal/io/npz.h"
#include "cubcal/shard/lines_shard.h"
#include "cubcal/shard/merge_logits.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::expect_error;
using test::file_bytes;

class MergeShards : public testing::Test {
 protected:
  ShardHead head(std::size_t index, std::size_t count = 2) const {
    ShardHead head;
    head.shard = {index, count};
    head.kind = "predictions";
    head.model = {{"weights_hash", weights}};
    head.settings = {{"seed", seed}};
    head.processor = processor;
    return head;
  }
  /// A shard with a row at each of the places.
  std::string lines(const std::string& name, const ShardHead& head,
                    const std::vector<std::size_t>& places, std::size_t images = 4) const {
    const std::string path = folder.file(name);
    LinesShard shard(path, head);
    for (const std::size_t place : places) {
      shard.add(placed_row(place, line(place)), 1, place == 3 ? 1 : 0);
    }
    shard.finish(images, "data", "now");
    return path;
  }
  static std::string line(std::size_t place) {
    return "{\"image\":\"i" + std::to_string(place) + "\"}\n";
  }
  void expect_refused(const std::vector<std::string>& paths, const std::string& words) const {
    expect_error<DataError>([&] { merge_shards(paths, folder.file("out")); }, words);
    EXPECT_FALSE(std::filesystem::exists(folder.file("out")));
  }

  test::TemporaryFolder folder;
  std::string weights = "w";
  int seed = 1;
  std::string processor = "aarch64";
};

TEST_F(MergeShards, RowsComeInTheirPlacesInAnyOrderOfFiles) {
  const std::string a = lines("a", head(1), {1, 2});
  const std::string b = lines("b", head(2), {0, 3});
  const MergeResult result = merge_shards({b, a}, folder.file("out"));
  EXPECT_EQ(file_bytes(folder.file("out")), line(0) + line(1) + line(2) + line(3));
  EXPECT_EQ(result.images, 4U);
  EXPECT_EQ(result.unreadable, 1U);
  EXPECT_EQ(result.warning, "");
}

TEST_F(MergeShards, ShardsWithoutRowsAreShardsToo) {
  const std::string a = lines("a", head(1), {0, 1, 2, 3});
  const std::string b = lines("b", head(2), {});
  merge_shards({a, b}, folder.file("out"));
  EXPECT_EQ(file_bytes(folder.file("out")), line(0) + line(1) + line(2) + line(3));
}

TEST_F(MergeShards, AMixIsRefused) {
  const std::string a = lines("a", head(1), {0, 1});
  weights = "other";
  expect_refused({a, lines("b", head(2), {2, 3})},
                 "different models cannot be merged: weights_hash is \"w\" in");
  weights = "w";
  seed = 2;
  expect_refused({a, lines("c", head(2), {2, 3})},
                 "different settings cannot be merged: seed is 1");
  seed = 1;
  expect_refused({a, lines("d", head(2), {2, 3}, 5)}, "different images");
  expect_refused({a, lines("e", head(2, 3), {2, 3})}, "different numbers");
}

TEST_F(MergeShards, GapsAndOverlapsAreRefused) {
  const std::string a = lines("a", head(1), {0, 1});
  expect_refused({a}, "of 2 shards 2 is missing");
  expect_refused({a, a}, "shard 1/2 is there twice");
  expect_refused({a, lines("b", head(2), {3})}, "3 rows together, and the job had 4 images");
  expect_refused({a, lines("c", head(2), {1, 3})}, "image 1 is there twice");
  expect_refused({a, lines("d", head(2), {3, 4})}, "image 2 is in no shard");
}

TEST_F(MergeShards, ADamagedShardIsRefused) {
  const std::string a = lines("a", head(1), {0, 1});
  const std::string b = lines("b", head(2), {2, 3});
  std::string text = file_bytes(b);
  text.replace(text.find("i2"), 2, "j2");
  write_file_atomically(b, text);
  expect_refused({a, b}, "is damaged");
  write_file_atomically(b, "{\"image\":\"x\"}\n");
  expect_refused({a, b}, "not a shard that can be merged");
  write_file_atomically(b, "");
  expect_refused({a, b}, "has no line");
  expect_refused({a, folder.path()}, "is a folder");
}

TEST_F(MergeShards, OtherProcessorsAreTold) {
  const std::string a = lines("a", head(1), {0, 1});
  processor = "x86_64";
  const std::string b = lines("b", head(2), {2, 3});
  EXPECT_NE(merge_shards({a, b}, folder.file("out")).warning.find("on x86_64"), std::string::npos);
}

/// Logits of three images in two passes, the whole or those at the places.
void write_logits(const std::string& path, const std::vector<std::int64_t>& places,
                  const ShardHead* head) {
  NpzWriter npz(path);
  std::vector<float> logits;
  std::vector<std::int64_t> labels;
  std::vector<std::string> files;
  const std::vector<std::string> names{"a", "bcd", "ef"};
  for (int pass = 0; pass < 2; ++pass) {
    for (const std::int64_t i : places) {
      for (int k = 0; k < 2; ++k) {
        logits.push_back(static_cast<float>(100 * pass + 10 * static_cast<int>(i) + k));
      }
    }
  }
  for (const std::int64_t i : places) {
    labels.push_back(i % 2);
    files.push_back(names[static_cast<std::size_t>(i) % names.size()]);
  }
  npz.add("logits", ArrayView<const float>(logits), {2, places.size(), 2});
  npz.add("labels", ArrayView<const std::int64_t>(labels), {places.size()});
  npz.add_text("class_names", {"x", "y"});
  npz.add_text("files", files);
  if (head != nullptr) add_shard_arrays(npz, *head, places);
  npz.finish();
}

TEST_F(MergeShards, LogitsBecomeTheBytesOfTheWhole) {
  write_logits(folder.file("whole.npz"), {0, 1, 2}, nullptr);
  ShardHead part = head(1);
  part.kind = "logits";
  part.images = 3;
  part.rows = 2;
  write_logits(folder.file("1.npz"), {0, 2}, &part);
  part.shard.index = 2;
  part.rows = 1;
  write_logits(folder.file("2.npz"), {1}, &part);
  merge_shards({folder.file("1.npz"), folder.file("2.npz")}, folder.file("merged.npz"));
  EXPECT_EQ(file_bytes(folder.file("merged.npz")), file_bytes(folder.file("whole.npz")));

  write_logits(folder.file("2.npz"), {0}, &part);
  expect_refused({folder.file("1.npz"), folder.file("2.npz")}, "image 0 is there twice");
  write_logits(folder.file("2.npz"), {7}, &part);
  expect_refused({folder.file("1.npz"), folder.file("2.npz")}, "names image 7");
  expect_refused({folder.file("1.npz"), folder.file("whole.npz")}, "it lacks 'shard'");
  expect_refused({folder.file("1.npz"), lines("l", head(2), {})}, "different kinds");
}

}  // namespace
}  // namespace cubcal
