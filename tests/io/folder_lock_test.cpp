#include "cubcal/io/folder_lock.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "cubcal/core/error.h"
#include "cubcal/io/unfinished_file.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::contains;
using test::message_of;
using test::TemporaryFolder;

/// Another process that has the lock of a folder until it is killed.
class OtherOwner {
 public:
  explicit OtherOwner(const std::string& folder) {
    int ready[2];
    EXPECT_EQ(::pipe(ready), 0);
    process_ = ::fork();
    if (process_ == 0) {
      const FolderLock lock(folder);
      if (::write(ready[1], "x", 1) != 1) ::_exit(1);
      for (;;) ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~OtherOwner() { kill(); }
  void kill() {
    if (process_ <= 0) return;
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  pid_t process() const { return process_; }

 private:
  pid_t process_ = 0;
};

TEST(FolderLock, OneProcessHasItAndADeadOnesIsTakenOver) {
  const TemporaryFolder folder;
  OtherOwner other(folder.path());
  const std::string message = message_of<IoError>([&] { FolderLock lock(folder.path()); });
  EXPECT_TRUE(contains(message, "is being written by process " + std::to_string(other.process())));
  EXPECT_TRUE(contains(message, folder.path()));
  other.kill();
  EXPECT_TRUE(std::filesystem::exists(folder.file("run.lock")));
  {
    const FolderLock lock(folder.path());
    const FolderLock again(folder.path());
    EXPECT_NO_THROW(again.check());
    EXPECT_TRUE(contains(test::file_bytes(folder.file("run.lock")), std::to_string(::getpid())));
  }
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(FolderLock, AnOwnerOnAnotherMachineIsLeftAlone) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("run.lock"), "some-other-machine 1234\n");
  const std::string message = message_of<IoError>([&] { FolderLock lock(folder.path()); });
  EXPECT_TRUE(contains(message, "process 1234 on some-other-machine"));
  EXPECT_TRUE(contains(message, "remove '" + folder.file("run.lock") + "'"));
  EXPECT_TRUE(std::filesystem::exists(folder.file("run.lock")));
}

TEST(FolderLock, WaitsForAFolderAndForNoLongerThanItIsTold) {
  const TemporaryFolder folder;
  write_file_atomically(folder.file("run.lock"), "some-other-machine 1234\n");
  const auto wait = [&](int milliseconds) {
    return wait_for_folder(folder.path(), std::chrono::milliseconds(milliseconds));
  };
  EXPECT_TRUE(contains(message_of<FolderTaken>([&] { wait(50); }), "some-other-machine"));
  std::thread owner([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    std::filesystem::remove(folder.file("run.lock"));
  });
  EXPECT_NO_THROW(wait(60000).check());
  owner.join();
}

TEST(FolderLock, TheOwnerOfAFolderHasThoseWithinIt) {
  const TemporaryFolder folder;
  for (const char* name : {"run", "run/last", "run2"}) {
    std::filesystem::create_directory(folder.file(name));
    write_file_atomically(folder.file(std::string(name) + "/run.lock"), "a-container 1\n");
  }
  std::filesystem::remove(folder.file("run/run.lock"));
  const FolderLock run(folder.file("run"));
  EXPECT_NO_THROW(FolderLock(folder.file("run/last")).check());
  message_of<FolderTaken>([&] { FolderLock lock(folder.file("run2")); });
}

TEST(FolderLock, ASignalRemovesIt) {
  const TemporaryFolder folder;
  const FolderLock lock(folder.path());
  EXPECT_EQ(folder.entries(), 1U);
  remove_unfinished_files();
  EXPECT_EQ(folder.entries(), 0U);
}

TEST(FolderLock, AnOwnerOnAnotherMachineThatGivesNoSignOfLifeIsTakenOver) {
  namespace fs = std::filesystem;
  const TemporaryFolder folder;
  const std::string path = folder.file("run.lock");
  write_file_atomically(path, "some-other-machine 1234\n");
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(9));
  message_of<FolderTaken>([&] { FolderLock lock(folder.path()); });
  fs::last_write_time(path, fs::file_time_type::clock::now() - std::chrono::minutes(11));
  const FolderLock lock(folder.path());
  EXPECT_TRUE(contains(test::file_bytes(path), std::to_string(::getpid())));
  // The old owner comes back and writes its name: this one is told.
  std::ofstream(path) << "some-other-machine 1234\n";
  EXPECT_TRUE(contains(message_of<IoError>([&] { lock.check(); }), "taken by another process"));
}

TEST(FolderLock, AFolderThatWasRemovedIsNoticed) {
  const TemporaryFolder folder;
  std::filesystem::create_directory(folder.file("run"));
  const FolderLock lock(folder.file("run"));
  std::filesystem::remove_all(folder.file("run"));
  const auto check = [&] { lock.check(); };
  EXPECT_TRUE(contains(message_of<IoError>(check), "was removed or taken by another process"));
  std::filesystem::create_directory(folder.file("run"));
  write_file_atomically(folder.file("run/run.lock"), "another 1\n");
  EXPECT_TRUE(contains(message_of<IoError>(check), "was removed or taken by another process"));
}

}  // namespace
}  // namespace cubcal
