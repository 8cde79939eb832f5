#include "cubcal/io/byte_source.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "cubcal/core/error.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::contains;
using test::message_of;
using test::TemporaryFolder;

void expect_reads_alphabet(const ByteSource& source) {
  std::string part(3, '\0');
  EXPECT_EQ(source.size(), 26U);
  source.read_at(23, part.data(), 3);
  EXPECT_EQ(part, "xyz");
  source.read_at(26, part.data(), 0);
  EXPECT_THROW(source.read_at(24, part.data(), 3), DataError);
  EXPECT_THROW(source.read_at(~std::uint64_t{0}, part.data(), 3), DataError);
}

TEST(ByteSource, reads_any_range_of_a_file_or_of_memory) {
  const std::string alphabet = "abcdefghijklmnopqrstuvwxyz";
  expect_reads_alphabet(MemorySource("memory", alphabet));
  const TemporaryFolder folder;
  write_file_atomically(folder.file("x"), alphabet);
  expect_reads_alphabet(FileSource(folder.file("x")));
}

TEST(ByteSource, notices_a_file_that_shrinks) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("x"), std::string(100, 'a'));
  const FileSource source(folder.file("x"));
  std::filesystem::resize_file(folder.file("x"), 10);
  std::string part(100, '\0');
  EXPECT_TRUE(contains(message_of<DataError>([&] { source.read_at(0, part.data(), 100); }),
                       "became shorter while it was being read"));
}

TEST(ByteSource, refuses_what_is_not_a_regular_file) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<IoError>([&] { FileSource source(folder.file("no")); }),
            "cannot open '" + folder.file("no") + "': No such file or directory");
  EXPECT_EQ(message_of<IoError>([&] { FileSource source(folder.path()); }),
            "cannot read '" + folder.path() + "': it is a folder");
  EXPECT_EQ(message_of<IoError>([&] { FileSource source("/dev/null"); }),
            "cannot read '/dev/null': it is not a regular file");
}

TEST(OpenRange, streams_a_range_and_not_beyond_it) {
  std::string bytes(3 << 20, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7 + i / 251);
  const auto source = std::make_shared<MemorySource>("memory", bytes);
  const auto stream = open_range(source, 5, bytes.size() - 10);
  std::string out(bytes.size() - 11, '\0');
  stream->read(out.data(), out.size());
  EXPECT_EQ(out, bytes.substr(5, out.size()));
  EXPECT_EQ(stream->remaining(), 1U);
  EXPECT_THROW(stream->read(out.data(), 2), DataError);
  EXPECT_THROW(open_range(source, 1, bytes.size()), DataError);
}

}  // namespace
}  // namespace cubcal
