#include "cubcal/shard/lines_shard.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::expect_error;
using test::TemporaryFolder;

ShardHead head_of(const std::string& weights = "w") {
  ShardHead head;
  head.shard = {1, 2};
  head.kind = "predictions";
  head.model = {{"weights_hash", weights}};
  head.settings = {{"seed", 1}};
  return head;
}

std::string row(std::size_t place, const std::string& image) {
  return placed_row(place, "{\"image\":\"" + image + "\",\"class\":\"a\"}") + "\n";
}

TEST(LinesShard, AppearsWholeAndOnlyAtTheEnd) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.jsonl");
  LinesShard shard(path, head_of());
  EXPECT_FALSE(shard.has(0, "a"));
  shard.add(row(0, "a"), 1, 0);
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(finished_lines_shard(path));
  shard.finish(3, "hash", "now");
  EXPECT_EQ(folder.entries(), 1U);
  const std::optional<ShardHead> head = finished_lines_shard(path);
  ASSERT_TRUE(head);
  EXPECT_EQ(head->rows, 1U);
  EXPECT_EQ(head->images, 3U);
  EXPECT_EQ(head->data_hash, "hash");
}

TEST(LinesShard, GoesOnAfterTheLastWholeRow) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.jsonl");
  {
    LinesShard shard(path, head_of());
    shard.add(row(0, "a") + placed_row(4, "{\"image\":\"b\",\"error\":\"no\"}\n"), 2, 1);
  }
  std::ofstream(path + ".part/rows.jsonl", std::ios::app) << R"({"place":5,"image":"c","cla)";
  LinesShard shard(path, head_of());
  EXPECT_TRUE(shard.has(0, "a"));
  EXPECT_TRUE(shard.has(4, "b"));
  EXPECT_FALSE(shard.has(5, "c"));
  shard.add(row(5, "c"), 1, 0);
  shard.finish(6, "hash", "now");
  const std::string text = test::file_bytes(path);
  EXPECT_EQ(text.substr(text.find('\n') + 1),
            row(0, "a") + placed_row(4, "{\"image\":\"b\",\"error\":\"no\"}\n") + row(5, "c"));
  const std::optional<ShardHead> head = finished_lines_shard(path);
  EXPECT_EQ(head->rows, 3U);
  EXPECT_EQ(head->unreadable, 1U);
}

TEST(LinesShard, AnotherJobsBeginningIsNotGoneOnWith) {
  const TemporaryFolder folder;
  const std::string path = folder.file("s.jsonl");
  {
    LinesShard shard(path, head_of());
    shard.add(row(0, "a") + row(1, "b"), 2, 0);
  }
  expect_error<DataError>([&] { LinesShard(path, head_of("other")); }, "another model");
  {
    LinesShard shard(path, head_of());
    expect_error<DataError>([&] { shard.has(0, "x"); }, "other images than these");
  }
  {
    LinesShard shard(path, head_of());
    expect_error<DataError>([&] { shard.has(3, "a"); }, "other images than these");
  }
  LinesShard shard(path, head_of());
  EXPECT_TRUE(shard.has(0, "a"));
  expect_error<DataError>([&] { shard.finish(1, "", ""); }, "more images than these");
}

}  // namespace
}  // namespace cubcal
