#include "cubcal_nn/train/append_file.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

TEST(AppendFile, ALinkIsNotFollowed) {
  const test::ScratchFolder folder;
  write_file_atomically(folder.file("other"), "kept");
  std::filesystem::create_symlink(folder.file("other"), folder.file("metrics.jsonl"));
  expect_error<IoError>([&] { AppendFile(folder.file("metrics.jsonl"), 0); },
                        "it is a symbolic link");
  EXPECT_EQ(read_text_file(folder.file("other"), 100), "kept");
}

TEST(AppendFile, CutsBackToTheLengthOfTheCheckpoint) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("metrics.jsonl");
  std::uint64_t length = 0;
  {
    AppendFile file(path, 0);
    file.append("one\n");
    length = file.length();
    file.append("lost with the process\n");
  }
  AppendFile again(path, length);
  again.append("two\n");
  EXPECT_EQ(again.length(), 8U);
  EXPECT_EQ(read_text_file(path, 100), "one\ntwo\n");
}

TEST(AppendFile, AFileThatLostItsEndIsRefused) {
  const test::ScratchFolder folder;
  const std::string path = folder.file("metrics.jsonl");
  expect_error<DataError>([&] { AppendFile(path, 5); }, "is missing");
  write_file_atomically(path, "one\n");
  expect_error<DataError>([&] { AppendFile(path, 5); }, "shorter than the checkpoint says");
}

}  // namespace
}  // namespace cubcal
