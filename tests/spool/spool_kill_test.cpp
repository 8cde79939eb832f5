// A process that accepts, answers and sends is killed at random moments: what it acknowledged is
// answered, with one report each.

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <set>
#include <thread>

#include "cli/program.h"
#include "cubcal/core/seed_stream.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/spool/image_spool.h"
#include "faults/killed_run.h"

namespace cubcal {
namespace {

namespace fs = std::filesystem;
using test::contents_of;
using test::ScratchFolder;

constexpr std::size_t kImages = 150;
constexpr ImageSpool::Wait kShort{20};

std::string image_uid(std::size_t i) { return "1.2.840.1." + std::to_string(i); }

void add_line(const std::string& path, std::string line) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
  line += '\n';
  if (::write(file, line.data(), line.size()) != static_cast<::ssize_t>(line.size())) ::_exit(3);
  ::close(file);
}

std::set<std::string> lines_of(const std::string& path) {
  std::ifstream in(path);
  std::set<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.insert(line);
  return lines;
}

/// What a sender, the node and a receiver do, in one process: images that the sender has no
/// acknowledgement for are sent again; the receiver keeps an object under its UID.
void run_node(const std::string& folder) {
  const std::set<std::string> acknowledged = lines_of(folder + "/acknowledged");
  ImageSpool spool(folder + "/spool", "model");
  std::atomic<bool> all_sent{false};
  std::thread sender([&] {
    for (std::size_t i = 0; i < kImages; ++i) {
      if (acknowledged.count(image_uid(i)) > 0) continue;
      if (spool.accept(image_uid(i), "image " + std::to_string(i)) == Intake::kFull) ::_exit(4);
      add_line(folder + "/acknowledged", image_uid(i));
    }
    all_sent = true;
  });
  std::thread answerer([&] {
    while (!all_sent || spool.images() > 0) {
      for (const std::string& uid : spool.next_images(3, kShort)) {
        spool.answered(uid, "report of " + spool.read_image(uid));
      }
    }
  });
  while (!all_sent || spool.images() + spool.reports() > 0) {
    for (const std::string& uid : spool.next_reports(3, kShort)) {
      const std::string target = folder + "/archive/" + uid;
      const std::string report = spool.read_report(uid);
      if (fs::exists(target) && contents_of(target) != report) ::_exit(5);
      write_file_atomically(target, report);
      add_line(folder + "/deliveries", uid);
      spool.sent(uid);
    }
  }
  sender.join();
  answerer.join();
}

TEST(SpoolKill, WhatWasAcknowledgedHasOneReport) {
  const ScratchFolder scratch;
  const std::string folder = scratch.path().string();
  fs::create_directory(folder + "/archive");
  const std::size_t kills = test::kills_or(15);
  SeedStream random(7, 0);
  std::size_t killed = 0;
  for (std::size_t round = 0;; ++round) {
    const ::pid_t process = ::fork();
    if (process == 0) {
      run_node(folder);
      ::_exit(0);
    }
    if (killed < kills) {
      std::this_thread::sleep_for(std::chrono::microseconds(500 + random.below(60'000)));
      ::kill(process, SIGKILL);
    }
    int status = 0;
    ::waitpid(process, &status, 0);
    if (WIFEXITED(status)) {
      ASSERT_EQ(WEXITSTATUS(status), 0);
      break;
    }
    ++killed;
    ASSERT_LE(round, kills + 1);
  }
  const std::set<std::string> acknowledged = lines_of(folder + "/acknowledged");
  EXPECT_EQ(acknowledged.size(), kImages);
  std::size_t reports = 0;
  std::set<std::string> contents;
  for (const auto& entry : fs::directory_iterator(folder + "/archive")) {
    if (entry.path().filename().string().front() == '.')
      continue;  // of a kill while it was written
    ++reports;
    contents.insert(contents_of(entry.path()));
  }
  EXPECT_EQ(reports, kImages);
  EXPECT_EQ(contents.size(), kImages);
  EXPECT_TRUE(fs::is_empty(folder + "/spool/failed"));
  std::cout << killed << " kills, " << kImages << " images, " << reports << " reports\n";
}

}  // namespace
}  // namespace cubcal
