// 'cubcal dicom' as users run it, with the programs of the package dcmtk at both ends.

#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "cubcal/io/atomic_file.h"
#include "dicomnet/background_program.h"
#include "dicomnet/image_sender.h"
#include "infer/tiny_model.h"
#include "node/dicom_images.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class DicomCommand : public testing::Test {
 protected:
  void SetUp() override {
    save_model(model_, tiny_description(LayerKind::kVariational),
               *tiny_network(LayerKind::kVariational));
    fs::create_directories(scratch_.file("received"));
    for (int i = 0; i < 5; ++i) {
      const std::string uid = "1.2.840.99." + std::to_string(i);
      write_file_atomically(image(i), dicom_image(uid, static_cast<unsigned char>(50 * i)).file());
    }
  }

  std::string image(int i) const { return scratch_.file(std::to_string(i) + ".dcm"); }

  std::vector<std::string> node_words(const std::vector<std::string>& more) const {
    std::vector<std::string> words = {
        CUBCAL_PROGRAM, "dicom", model_, "--mc", "3", "--spool", scratch_.file("spool")};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }

  int run(const std::vector<std::string>& words) const {
    BackgroundProgram program(words);
    return program.wait();
  }

  std::size_t count(const std::string& folder) const {
    const fs::directory_iterator files(scratch_.path() / folder);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  ScratchFolder scratch_;
  std::string model_ = scratch_.file("skin");
};

TEST_F(DicomCommand, AnswersWhatStorescuSends) {
  const std::string storescp = installed_program("storescp");
  const std::string storescu = installed_program("storescu");
  const std::string echoscu = installed_program("echoscu");
  const std::string dsrdump = installed_program("dsrdump");
  if (storescp.empty() || storescu.empty() || echoscu.empty() || dsrdump.empty()) {
    GTEST_SKIP() << "the package dcmtk is not installed";
  }
  const std::string to = std::to_string(free_port());
  const std::string at = std::to_string(free_port());
  // Started after the node, which must not mind.
  BackgroundProgram node(node_words(
      {"--port", at, "--to", "ARCHIVE@127.0.0.1:" + to, "--log", scratch_.file("log.jsonl")}));
  ASSERT_TRUE(node.has_printed("listens at")) << node.printed();
  EXPECT_EQ(run({echoscu, "-aec", "CUBCAL", "127.0.0.1", at}), 0);
  EXPECT_NE(run({echoscu, "-aec", "OTHER", "127.0.0.1", at}), 0);
  std::vector<std::string> words = {storescu, "-aec", "CUBCAL", "127.0.0.1", at};
  for (int i = 0; i < 5; ++i) words.push_back(image(i));
  EXPECT_EQ(run(words), 0);
  ASSERT_TRUE(node.has_printed("could not be sent to ARCHIVE@127.0.0.1:" + to)) << node.printed();
  BackgroundProgram archive({storescp, "-od", scratch_.file("received"), to});
  ASSERT_TRUE(becomes_true([&] { return count("received") == 5 && count("spool/done") == 5; }))
      << node.printed();
  EXPECT_EQ(run(words), 0);  // the same again
  node.signal(SIGTERM);
  EXPECT_EQ(node.wait(), 0) << node.printed();
  EXPECT_EQ(count("received"), 5U);
  EXPECT_EQ(count("spool/images") + count("spool/reports") + count("spool/failed"), 0U);

  std::vector<std::string> images;
  for (const auto& entry : fs::directory_iterator(scratch_.file("received"))) {
    const ReadReport report = read_report_file(contents_of(entry.path()));
    EXPECT_TRUE(report.is_valid) << report.text;
    EXPECT_EQ(report.study_uid, "1.2.9");
    EXPECT_EQ(report.patient_id, "P-4711");
    images.push_back(report.image_uid);
    EXPECT_EQ(run({dsrdump, entry.path().string()}), 0);
  }
  std::sort(images.begin(), images.end());
  EXPECT_EQ(std::unique(images.begin(), images.end()), images.end());
  EXPECT_EQ(images.front(), "1.2.840.99.0");

  const std::string log = contents_of(scratch_.path() / "log.jsonl");
  EXPECT_EQ(std::count(log.begin(), log.end(), '\n'), 5);
  for (const std::string word : {"P-4711", "1.2.840.99", "ller"}) {
    EXPECT_EQ(log.find(word), std::string::npos) << word;
    EXPECT_EQ(node.printed().find(word), std::string::npos) << node.printed();
  }
  const Outcome monitor =
      run_cubcal({"monitor", scratch_.file("log.jsonl"), scratch_.file("log.jsonl")});
  EXPECT_EQ(monitor.exit_code, 0) << monitor.err;
}

TEST_F(DicomCommand, AReportSaysWhatPredictSays) {
  fs::create_directories(scratch_.file("in"));
  fs::copy_file(image(1), scratch_.file("in/scan.dcm"));
  write_file_atomically(scratch_.file("in/notes.txt"), "no image");
  auto cut = dicom_image("1.2.840.99.77", 1);
  cut.bytes(0x7fe00010, "OB", "short");
  write_file_atomically(scratch_.file("in/cut.dcm"), cut.file());
  BackgroundProgram node(node_words(
      {"--folder", scratch_.file("in"), "--out", scratch_.file("out"), "--settle-s", "0.1"}));
  ASSERT_TRUE(node.has_printed("watching")) << node.printed();
  ASSERT_TRUE(becomes_true([&] { return count("spool/done") == 1 && count("spool/failed") == 3; }))
      << node.printed();
  node.signal(SIGTERM);
  EXPECT_EQ(node.wait(), 0);
  const std::string printed = node.printed();
  EXPECT_NE(printed.find("an image could not be answered"), std::string::npos) << printed;
  EXPECT_NE(printed.find("a file could not be taken"), std::string::npos) << printed;
  ASSERT_EQ(count("out"), 1U);
  const ReadReport report =
      read_report_file(contents_of(*fs::directory_iterator(scratch_.file("out"))));
  const Outcome predicted =
      run_cubcal({"predict", "--model", model_, "--mc", "3", "--json", image(1)});
  const Json answer = Json::parse(predicted.out)["predictions"][0];
  const auto has = [&](const std::string& part) {
    return report.text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(has(",\"" + answer["class"].get<std::string>() + "\")")) << report.text;
  EXPECT_TRUE(has(answer["reason"].get<std::string>())) << report.text;
  EXPECT_TRUE(fs::exists(scratch_.file("in/scan.dcm")));
}

TEST_F(DicomCommand, StopsWithinSecondsWhateverWaits) {
  const std::string at = std::to_string(free_port());
  BackgroundProgram node(
      node_words({"--port", at, "--to", "NOBODY@127.0.0.1:" + std::to_string(free_port())}));
  ASSERT_TRUE(node.has_printed("listens at")) << node.printed();
  ImageSender sender(static_cast<std::uint16_t>(std::stoi(at)));
  EXPECT_EQ(sender.send(contents_of(image(0))), 0);  // and its association stays open
  ASSERT_TRUE(node.has_printed("could not be sent"));
  const auto start = std::chrono::steady_clock::now();
  node.signal(SIGTERM);
  EXPECT_EQ(node.wait(), 0);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(10));
  EXPECT_EQ(count("spool/reports"), 1U);  // for the next start
}

TEST_F(DicomCommand, RefusesInOneSentence) {
  const auto refused = [&](const std::vector<std::string>& words, int code,
                           const std::string& part) {
    std::vector<std::string> all = {"dicom"};
    all.insert(all.end(), words.begin(), words.end());
    const Outcome outcome = run_cubcal(all, scratch_.path());
    EXPECT_EQ(outcome.exit_code, code) << outcome.err;
    EXPECT_NE(outcome.err.find(part), std::string::npos) << outcome.err;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  };
  refused({}, 2, "MODEL");
  refused({model_}, 2, "--to");
  refused({model_, "--to", "nonsense"}, 2, "AE@HOST:PORT");
  refused({model_, "--to", "A@b:1", "--out", "x"}, 2, "--out");
  refused({model_, "--to", "A@b:1", "--address", "0.0.0.0"}, 2, "--allow");
  refused({model_, "--to", "A@b:1", "--ae", "A TITLE THAT IS TOO LONG"}, 2, "AE title");
  refused({model_, "--to", "A@b:1", "--allow", "A\\B"}, 2, "AE title");
  refused({scratch_.file("none"), "--to", "A@b:1"}, 1, "none");
  refused({model_, "--out", "out", "--folder", scratch_.file("none")}, 1, "none");
  refused({model_, "--out", "out", "--log-patients"}, 2, "--log");
  refused({model_, "--out", "out", "--port", "70000"}, 2, "70000");
}

}  // namespace
}  // namespace cubcal::test
