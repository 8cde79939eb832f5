// 'cubcal dicom' is killed at random moments while images come: each that was acknowledged gets one
// report.

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <map>

#include "cubcal/core/seed_stream.h"
#include "dicomnet/background_program.h"
#include "dicomnet/image_sender.h"
#include "faults/killed_run.h"
#include "infer/tiny_model.h"
#include "node/dicom_images.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

bool has_files(const std::string& folder) {
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.path().filename().string().front() != '.') return true;  // a kill may leave .tmp
  }
  return false;
}

TEST(NodeKill, EveryImageGetsOneReport) {
  const std::string storescp = installed_program("storescp");
  if (storescp.empty()) GTEST_SKIP() << "the package dcmtk is not installed";
  const ScratchFolder scratch;
  const std::size_t kills = kills_or(6);
  const std::size_t images = 30 + 6 * kills;
  const std::string received = scratch.file("received");
  const std::string spool = scratch.file("spool");
  fs::create_directories(received);
  save_model(scratch.file("model"), tiny_description(LayerKind::kVariational),
             *tiny_network(LayerKind::kVariational));
  const std::uint16_t port = free_port();
  const std::string to = std::to_string(free_port());
  const BackgroundProgram archive({storescp, "-od", received, to});
  const std::vector<std::string> words = {
      CUBCAL_PROGRAM,       "dicom", scratch.file("model"),     "--mc",    "2",  "--port",
      std::to_string(port), "--to",  "ARCHIVE@127.0.0.1:" + to, "--spool", spool};

  std::atomic<std::size_t> acknowledged{0};
  std::atomic<std::size_t> sends{0};
  std::thread sender([&] {  // sends an image again until it is acknowledged
    ImageSender client(port);
    while (acknowledged < images) {
      const std::string uid = "1.2.840.99." + std::to_string(acknowledged);
      const auto level = static_cast<unsigned char>(acknowledged % 256);
      ++sends;
      if (client.send(dicom_image(uid, level).file()) == 0) {
        ++acknowledged;
      } else {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      }
    }
  });
  SeedStream random(11, 0);
  for (std::size_t kill = 0; kill < kills; ++kill) {
    BackgroundProgram node(words);
    const bool early = random.below(8) == 0;
    if (!early) {
      EXPECT_TRUE(node.has_printed("listens at")) << node.printed();
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random.below(400)));
    node.signal(SIGKILL);
    EXPECT_EQ(node.wait(), 128 + SIGKILL) << node.printed();
  }
  BackgroundProgram node(words);
  EXPECT_TRUE(becomes_true(
      [&] {
        return acknowledged == images && !has_files(spool + "/images") &&
               !has_files(spool + "/reports");
      },
      300))
      << node.printed();
  sender.join();
  node.signal(SIGTERM);
  EXPECT_EQ(node.wait(), 0);

  std::map<std::string, std::size_t> reports;
  for (const auto& entry : fs::directory_iterator(received)) {
    const ReadReport report = read_report_file(contents_of(entry.path()));
    EXPECT_TRUE(report.is_valid);
    ++reports[report.image_uid];
  }
  EXPECT_EQ(reports.size(), images);
  for (const auto& [uid, count] : reports) EXPECT_EQ(count, 1U) << uid;
  EXPECT_FALSE(has_files(spool + "/failed"));
  std::cout << kills << " kills, " << images << " images (" << sends << " sends), "
            << reports.size() << " with one report each\n";
}

}  // namespace
}  // namespace cubcal::test
