#include "cubcal/io/atomic_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "cubcal/core/error.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::contains;
using test::file_bytes;
using test::message_of;
using test::TemporaryFolder;

mode_t mode_of(const std::string& path) {
  struct stat facts {};
  EXPECT_EQ(::stat(path.c_str(), &facts), 0);
  return facts.st_mode & 0777;
}

TEST(AtomicFile, appears_only_on_commit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out.txt");
  AtomicFile file(path);
  file.write("hello ");
  file.write("world");
  EXPECT_EQ(file.position(), 11U);
  EXPECT_FALSE(std::filesystem::exists(path));
  file.commit();
  EXPECT_EQ(file_bytes(path), "hello world");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicFile, without_commit_keeps_the_old_file_and_leaves_nothing_behind) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out.txt");
  write_file_atomically(path, "old");
  {
    AtomicFile file(path);
    file.write("new");
  }
  EXPECT_EQ(file_bytes(path), "old");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(AtomicFile, a_signal_removes_what_is_not_finished_and_nothing_else) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("done.txt"), "done");
  AtomicFile first(folder.file("a.txt"));
  AtomicFile second(folder.file("b.txt"));
  EXPECT_EQ(folder.entries(), 3U);
  remove_unfinished_files();
  EXPECT_EQ(folder.entries(), 1U);
  EXPECT_EQ(file_bytes(folder.file("done.txt")), "done");
}

TEST(AtomicFile, keeps_order_of_small_and_large_writes) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out.txt");
  const std::string large(1 << 20, 'b');
  AtomicFile file(path);
  file.write("a");
  file.write(large);
  file.write("c");
  file.write("");
  file.commit();
  EXPECT_EQ(file_bytes(path), "a" + large + "c");
}

TEST(AtomicFile, two_files_for_one_target_do_not_meet) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out.txt");
  AtomicFile first(path);
  AtomicFile second(path);
  first.write("first");
  second.write("second");
  second.commit();
  first.commit();
  EXPECT_EQ(file_bytes(path), "first");
}

TEST(AtomicFile, honours_the_umask_and_an_existing_files_permissions) {
  const TemporaryFolder folder;
  const std::string path = folder.file("out.txt");
  const mode_t before = ::umask(022);
  write_file_atomically(path, "x");
  EXPECT_EQ(mode_of(path), 0644U);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  write_file_atomically(path, "y");
  EXPECT_EQ(mode_of(path), 0600U);
  ::umask(before);
}

TEST(AtomicFile, follows_a_symbolic_link) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("real.txt"), "old");
  std::filesystem::create_symlink(folder.file("real.txt"), folder.file("link.txt"));
  write_file_atomically(folder.file("link.txt"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("link.txt")));
  EXPECT_EQ(file_bytes(folder.file("real.txt")), "new");
}

TEST(AtomicFile, writes_through_a_device_instead_of_replacing_it) {
  write_file_atomically("/dev/null", "gone");
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/null"));
}

TEST(AtomicFile, names_path_and_reason) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<IoError>([&] { AtomicFile file(folder.path()); }),
            "cannot write '" + folder.path() + "': it is a folder");
  const std::string lost = folder.file("missing/out.txt");
  EXPECT_EQ(message_of<IoError>([&] { AtomicFile file(lost); }),
            "cannot write '" + lost + "': its folder does not exist");
  EXPECT_EQ(message_of<IoError>([&] { AtomicFile file("/proc/out.txt"); }),
            "cannot write '/proc/out.txt': its folder takes no new files");
  EXPECT_EQ(message_of<IoError>([&] { AtomicFile file(folder.file("new/")); }),
            "cannot write '" + folder.file("new/") + "': it names a folder");
  EXPECT_TRUE(contains(message_of<IoError>([&] { AtomicFile file(""); }), "path is empty"));
}

TEST(AtomicFile, names_a_lack_of_permission) {
  if (::geteuid() == 0) GTEST_SKIP() << "root may write everywhere";
  const TemporaryFolder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0500), 0);
  EXPECT_TRUE(contains(message_of<IoError>([&] { AtomicFile file(folder.file("x")); }),
                       "Permission denied"));
  ASSERT_EQ(::chmod(folder.path().c_str(), 0700), 0);
}

TEST(AtomicFile, reports_a_full_disk) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "there is no /dev/full here";
  EXPECT_EQ(message_of<IoError>([] { write_file_atomically("/dev/full", "x"); }),
            "cannot write '/dev/full': No space left on device");
}

TEST(AtomicFile, refuses_writes_after_commit) {
  const TemporaryFolder folder;
  AtomicFile file(folder.file("x"));
  file.commit();
  EXPECT_THROW(file.write("y"), IoError);
  EXPECT_THROW(file.commit(), IoError);
}

TEST(ReadTextFile, reads_whole_files_within_the_limit) {
  const TemporaryFolder folder;
  const std::string path = folder.file("x.txt");
  write_file_atomically(path, std::string("a\0b", 3));
  EXPECT_EQ(read_text_file(path, 3), std::string("a\0b", 3));
  EXPECT_EQ(message_of<DataError>([&] { read_text_file(path, 2); }),
            "'" + path + "' holds more than the 2 bytes accepted here");
}

TEST(ReadTextFile, names_path_and_reason) {
  const TemporaryFolder folder;
  EXPECT_EQ(message_of<IoError>([&] { read_text_file(folder.file("no"), 9); }),
            "cannot open '" + folder.file("no") + "': No such file or directory");
  EXPECT_EQ(message_of<IoError>([&] { read_text_file(folder.path(), 9); }),
            "cannot read '" + folder.path() + "': it is a folder");
}

}  // namespace
}  // namespace cubcal
