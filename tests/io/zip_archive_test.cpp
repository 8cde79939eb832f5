#include "cubcal/io/zip_archive.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cubcal/core/error.h"
#include "cubcal/io/zip_records.h"
#include "cubcal/io/zip_writer.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::contains;
using test::file_bytes;
using test::message_of;
using test::TemporaryFolder;
using test::vector_path;

constexpr std::size_t plenty = std::size_t{1} << 30;

ArrayView<const std::byte> view(const std::string& text) {
  return {reinterpret_cast<const std::byte*>(text.data()), text.size()};
}

/// The bytes of an archive of stored members.
std::string archive_of(const std::vector<std::pair<std::string, std::string>>& members,
                       ZipWriterOptions options = {}) {
  const TemporaryFolder folder;
  ZipWriter writer(folder.file("x.zip"), options);
  for (const auto& [name, contents] : members) writer.add(name, {view(contents)});
  writer.finish();
  return file_bytes(folder.file("x.zip"));
}

ZipArchive opened(const std::string& bytes) {
  return ZipArchive(std::make_shared<MemorySource>("x.zip", bytes));
}

/// The message with which the archive, or else its first member, is refused.
std::string zip_refusal(const std::string& bytes) {
  return message_of<DataError>([&] {
    const ZipArchive archive = opened(bytes);
    archive.read(archive.members().at(0), plenty);
  });
}

void put(std::string& bytes, std::size_t offset, std::uint64_t value, int width) {
  for (int i = 0; i < width; ++i) {
    bytes.at(offset + static_cast<std::size_t>(i)) = static_cast<char>((value >> (8 * i)) & 0xFF);
  }
}

/// Where the central directory of an archive with one member "a" starts.
std::size_t central(const std::string& bytes) { return bytes.rfind("PK\x01\x02"); }
std::size_t end_record(const std::string& bytes) { return bytes.rfind("PK\x05\x06"); }

TEST(ZipArchive, round_trips_plain_and_zip64) {
  const std::string large(3000001, 'z');
  for (const bool zip64 : {false, true}) {
    const std::string bytes =
        archive_of({{"empty", ""}, {"größe", "some text"}, {"large", large}}, {zip64});
    EXPECT_EQ(bytes.find("PK\x06\x06") != std::string::npos, zip64);
    const ZipArchive archive = opened(bytes);
    ASSERT_EQ(archive.members().size(), 3U);
    EXPECT_EQ(archive.members()[1].name, "größe");
    EXPECT_EQ(archive.read(*archive.find("empty"), plenty), "");
    EXPECT_EQ(archive.read(*archive.find("größe"), plenty), "some text");
    EXPECT_EQ(archive.read(*archive.find("large"), plenty), large);
    EXPECT_EQ(archive.find("missing"), nullptr);
    const std::uint64_t offset = archive.data_offset(archive.members()[1]);
    EXPECT_EQ(bytes.substr(offset, 9), "some text");
  }
}

TEST(ZipArchive, equal_input_gives_equal_bytes) {
  EXPECT_EQ(archive_of({{"a", "x"}, {"b", "y"}}), archive_of({{"a", "x"}, {"b", "y"}}));
}

TEST(ZipArchive, members_may_be_written_in_pieces_and_read_in_pieces) {
  const TemporaryFolder folder;
  ZipWriter writer(folder.file("x.zip"));
  const std::string first = "first ";
  const std::string second = "second";
  writer.add("a", {view(first), view(second)});
  writer.finish();
  const ZipArchive archive(std::make_shared<FileSource>(folder.file("x.zip")));
  const auto stream = archive.open(archive.members()[0]);
  std::string part(6, '\0');
  stream->read(part.data(), 6);
  EXPECT_EQ(part, "first ");
  EXPECT_THROW(stream->finish(), DataError);
  stream->read(part.data(), 6);
  EXPECT_EQ(part, "second");
  EXPECT_THROW(stream->read(part.data(), 1), DataError);
  stream->finish();
}

TEST(ZipArchive, reads_an_archive_without_members) {
  const std::string bytes = archive_of({});
  EXPECT_EQ(bytes.size(), zip::end_size);
  EXPECT_TRUE(opened(bytes).members().empty());
}

TEST(ZipArchive, tolerates_bytes_in_front_and_a_comment) {
  for (const bool zip64 : {false, true}) {
    std::string bytes = "garbage " + archive_of({{"a", "text"}}, {zip64});
    const std::string comment = "a comment with PK\x05\x06 in it, and more than twenty-two bytes";
    put(bytes, bytes.size() - 2, comment.size(), 2);
    bytes += comment;
    const ZipArchive archive = opened(bytes);
    EXPECT_EQ(archive.read(archive.members().at(0), plenty), "text");
  }
}

TEST(ZipArchive, more_members_than_sixteen_bits_can_count) {
  std::vector<std::pair<std::string, std::string>> members;
  for (int i = 0; i < 65536; ++i) members.emplace_back(std::to_string(i), "");
  const std::string bytes = archive_of(members);
  EXPECT_EQ(opened(bytes).members().size(), 65536U);
}

TEST(ZipArchive, checks_the_crc) {
  std::string bytes = archive_of({{"a", "text"}});
  bytes[bytes.find("text")] = 'n';
  EXPECT_EQ(zip_refusal(bytes),
            "the member 'a' of 'x.zip' is damaged: its checksum does not match");
}

TEST(ZipArchive, refuses_what_is_no_archive_or_was_cut_off) {
  EXPECT_EQ(zip_refusal(""),
            "'x.zip' is not a readable zip archive: it has neither the start nor the end of one");
  const std::string bytes = archive_of({{"a", "text"}});
  for (std::size_t length = 2; length < bytes.size(); ++length) {
    EXPECT_EQ(zip_refusal(bytes.substr(0, length)),
              "'x.zip' is not a readable zip archive: the directory at its end is missing, as in a "
              "file that was cut off");
  }
}

TEST(ZipArchive, refuses_encryption_and_unknown_methods_by_name) {
  std::string bytes = archive_of({{"a", "text"}});
  put(bytes, central(bytes) + 8, 1, 2);
  EXPECT_EQ(zip_refusal(bytes), "the member 'a' of 'x.zip' is encrypted, which is not supported");
  const auto bzip2 = std::make_shared<FileSource>(vector_path("bzip2.npz"));
  EXPECT_TRUE(contains(message_of<DataError>([&] {
                         const ZipArchive archive(bzip2);
                         archive.open(archive.members()[0]);
                       }),
                       "is compressed with method bzip2, but only stored and deflated members"));
}

TEST(ZipArchive, refuses_two_members_of_one_name) {
  const auto source = std::make_shared<FileSource>(vector_path("duplicate.npz"));
  EXPECT_TRUE(contains(message_of<DataError>([&] { ZipArchive archive(source); }),
                       "it has two members named 'logits.npy'"));
  const TemporaryFolder folder;
  ZipWriter writer(folder.file("x.zip"));
  writer.add("a", {});
  EXPECT_THROW(writer.add("a", {}), ArgumentError);
  EXPECT_THROW(writer.add("", {}), ArgumentError);
}

TEST(ZipArchive, refuses_declared_sizes_the_archive_cannot_hold) {
  const std::string good = archive_of({{"a", "text"}});
  std::string bytes = good;
  put(bytes, central(bytes) + 24, 5, 4);  // uncompressed size
  EXPECT_EQ(zip_refusal(bytes),
            "the member 'a' of 'x.zip' declares 5 bytes, which its 4 bytes in the archive cannot "
            "hold");
  put(bytes, central(bytes) + 20, 5, 4);  // compressed size
  EXPECT_EQ(zip_refusal(bytes), "the member 'a' of 'x.zip' declares 5 bytes where 4 are left");
  bytes = good;
  put(bytes, central(bytes) + 10, zip::deflated, 2);
  put(bytes, central(bytes) + 24, 4 * 1032 + 1, 4);
  EXPECT_TRUE(
      contains(zip_refusal(bytes), "declares 4129 bytes, which its 4 bytes in the archive"));
}

TEST(ZipArchive, refuses_what_unpacks_to_far_more_than_it_is) {
  std::string bytes = archive_of({{"a", std::string(20000, 'x')}});
  put(bytes, central(bytes) + 10, zip::deflated, 2);
  put(bytes, central(bytes) + 24, 17 << 20, 4);
  EXPECT_TRUE(
      contains(zip_refusal(bytes), "declares 17825792 bytes, more than 100 times the 20000 bytes"));
}

TEST(ZipArchive, refuses_a_directory_that_is_not_where_it_says) {
  const std::string good = archive_of({{"a", "text"}});
  std::string bytes = good;
  put(bytes, end_record(bytes) + 12, 1000, 4);
  EXPECT_TRUE(contains(zip_refusal(bytes), "its directory is larger than the file"));
  bytes = good;
  put(bytes, end_record(bytes) + 16, 1000, 4);
  EXPECT_TRUE(contains(zip_refusal(bytes), "its directory is not where it is declared to be"));
  bytes = good;
  put(bytes, end_record(bytes) + 10, 2, 2);
  EXPECT_TRUE(contains(zip_refusal(bytes), "it declares 2 members but lists 1"));
  bytes = good;
  put(bytes, central(bytes) + 28, 50, 2);  // name length
  EXPECT_TRUE(contains(zip_refusal(bytes), "entry 1 of its directory is damaged"));
  bytes = good;
  put(bytes, central(bytes) + 42, 1000, 4);  // local header
  EXPECT_TRUE(contains(zip_refusal(bytes), "the member 'a' starts beyond the end"));
  bytes = good;
  put(bytes, end_record(bytes) + 4, 1, 2);
  EXPECT_TRUE(contains(zip_refusal(bytes), "it spans several disks"));
}

TEST(ZipArchive, refuses_a_local_header_that_disagrees) {
  const std::string good = archive_of({{"a", "text"}});
  std::string bytes = good;
  bytes[30] = 'b';
  EXPECT_TRUE(contains(zip_refusal(bytes), "has another name in its local header"));
  bytes = good;
  bytes[0] = 'Q';
  EXPECT_TRUE(contains(zip_refusal(bytes), "has a damaged local header"));
  bytes = good;
  put(bytes, 28, 0xFFFF, 2);
  EXPECT_TRUE(contains(zip_refusal(bytes), "has a damaged local header"));
}

TEST(ZipArchive, refuses_a_member_larger_than_the_caller_accepts) {
  const std::string bytes = archive_of({{"a", "text"}});
  const ZipArchive archive = opened(bytes);
  EXPECT_EQ(message_of<DataError>([&] { archive.read(archive.members()[0], 3); }),
            "the member 'a' of 'x.zip' holds 4 bytes, more than the 3 accepted here");
}

TEST(ZipArchive, refuses_damaged_compressed_data) {
  const std::string good = file_bytes(vector_path("streamed.npz"));
  const ZipArchive archive = opened(good);
  const ZipMember& member = archive.members()[0];
  ASSERT_EQ(member.method, zip::deflated);
  const auto offset = static_cast<std::size_t>(archive.data_offset(member));
  std::string bytes = good;
  bytes[offset] = '\xFF';
  EXPECT_TRUE(contains(zip_refusal(bytes), "is damaged: its compressed data cannot be decoded"));
  bytes = good;
  put(bytes, bytes.find("PK\x01\x02") + 20, member.compressed_size - 5, 4);
  EXPECT_TRUE(contains(zip_refusal(bytes), "is damaged: its compressed data ends too early"));
  bytes = good;
  put(bytes, bytes.find("PK\x01\x02") + 24, member.size + 1, 4);
  EXPECT_TRUE(contains(zip_refusal(bytes), "is damaged: it holds fewer bytes than declared"));
  bytes = good;
  put(bytes, bytes.find("PK\x01\x02") + 24, member.size - 1, 4);
  EXPECT_TRUE(contains(zip_refusal(bytes), "is longer than declared"));
}

}  // namespace
}  // namespace cubcal
