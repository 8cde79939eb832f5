// What is promised to be on the disk is sent there in an order that survives a loss of power. The
// system's calls are replaced by ones that take notes.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ctime>
#include <filesystem>
#include <string>
#include <vector>

#include "cubcal/io/atomic_file.h"
#include "cubcal/io/temporary_name.h"
#include "io/file_fixtures.h"

namespace {
std::vector<std::string> calls;
}  // namespace

extern "C" int fsync(int descriptor) {
  struct stat facts {};
  ::fstat(descriptor, &facts);
  calls.push_back(S_ISDIR(facts.st_mode) ? "sync folder" : "sync file");
  return static_cast<int>(::syscall(SYS_fsync, descriptor));
}

extern "C" int rename(const char* from, const char* to) noexcept {
  calls.push_back("rename");
  return static_cast<int>(::syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

namespace cubcal {
namespace {

using test::TemporaryFolder;

TEST(Durability, AFileIsOnTheDiskBeforeItsNameAndTheNameBeforeTheEnd) {
  const TemporaryFolder folder;
  calls.clear();
  write_file_atomically(folder.file("x"), "contents");
  EXPECT_EQ(calls, (std::vector<std::string>{"sync file", "rename", "sync folder"}));
  calls.clear();
  rename_file(folder.file("x"), folder.file("y"));
  EXPECT_EQ(calls, (std::vector<std::string>{"rename", "sync folder"}));
  calls.clear();
  sync_to_disk(folder.file("y"));
  EXPECT_EQ(calls, (std::vector<std::string>{"sync file"}));
  calls.clear();
  write_file_atomically("/dev/null", "contents");
  EXPECT_TRUE(calls.empty()) << "a device has nothing to survive";
}

/// ".cubcal-HOST-PID-NUMBER.tmp" with another PID.
std::string name_of_process(const std::string& process) {
  std::string name = temporary_name(7);
  const std::string own = "-" + std::to_string(::getpid()) + "-";
  return name.replace(name.rfind(own), own.size(), "-" + process + "-");
}

TEST(Durability, TemporaryFilesOfDeadProcessesAreSwept) {
  const TemporaryFolder folder;
  const std::string dead = "999999999";  // beyond the largest number a process can have
  const auto put = [&](const std::string& name, std::time_t age) {
    write_file_atomically(folder.file("new"), "x");
    std::filesystem::rename(folder.file("new"), folder.file(name));
    const struct timespec times[2] = {{std::time(nullptr) - age, 0}, {std::time(nullptr) - age, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, folder.file(name).c_str(), times, 0), 0);
  };
  const std::string orphan = name_of_process(dead);
  std::filesystem::create_directory(folder.file("kept"));
  put(orphan, 100);
  put("kept/" + orphan, 1);                  // written to just now
  put("kept/" + name_of_process("1"), 100);  // its process runs
  put("kept/.cubcal-other-machine-" + dead + "-7.tmp", 100);
  put("kept/" + orphan + ".txt", 100);
  // `put` has swept the folder already, and each is swept once: a name of its own for it.
  write_file_atomically(folder.path() + "/./x", "x");
  EXPECT_FALSE(std::filesystem::exists(folder.file(orphan)));
  write_file_atomically(folder.file("kept/x"), "x");
  std::size_t left = 0;
  for ([[maybe_unused]] const auto& each :
       std::filesystem::directory_iterator(folder.file("kept"))) {
    ++left;
  }
  EXPECT_EQ(left, 5U);
}

}  // namespace
}  // namespace cubcal
