#include "cubcal/node/answer_worker.h"

#include <gtest/gtest.h>

#include <atomic>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.h"
#include "node/dicom_images.h"
#include "service/fake_model.h"

namespace cubcal {
namespace {

using test::contents_of;
using test::dicom_image;
using test::FakeModel;
using test::ScratchFolder;
namespace fs = std::filesystem;

std::string text_of(const ReportContent& content) {
  return content.report_uid + " of " + content.image.sop_uid + ": " + content.answer.label;
}

class Answering : public testing::Test {
 protected:
  void accept(const std::string& uid, unsigned char level) {
    EXPECT_EQ(spool_.accept(uid, dicom_image(uid, level).file()), Intake::kStored);
  }

  /// Works until no image waits.
  void run(bool patients = false, const ReportMaker& make = text_of) {
    AnswerLog log(scratch_.file("log"));
    AnswerOptions options;
    options.model_name = "skin";
    options.answerer = "model";
    options.patients = patients;
    options.pause = std::chrono::milliseconds(20);
    AnswerWorker worker(spool_, {1, model_, "now"}, make, &log, options,
                        [&](const std::string& sentence) {
                          told_ += sentence + "\n";
                          ++times_told_;
                        });
    for (int i = 0; i < 2000 && spool_.images() > 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }

  std::string report_of(const std::string& uid) {
    return spool_.read_report(spool_.report_uid(uid));
  }

  ScratchFolder scratch_;
  std::string folder_ = scratch_.file("spool");
  ImageSpool spool_{folder_, "model"};
  std::shared_ptr<FakeModel> model_ = std::make_shared<FakeModel>();
  std::string told_;
  std::atomic<int> times_told_{0};
};

TEST_F(Answering, EveryImageGetsItsReport) {
  for (int i = 0; i < 20; ++i) accept("1.2." + std::to_string(i), i % 2 == 0 ? 10 : 150);
  run();
  EXPECT_EQ(spool_.reports(), 20U);
  EXPECT_EQ(report_of("1.2.0"), spool_.report_uid("1.2.0") + " of 1.2.0: dark");
  EXPECT_EQ(report_of("1.2.1"), spool_.report_uid("1.2.1") + " of 1.2.1: middle");
  EXPECT_EQ(told_, "");
}

TEST_F(Answering, TheLogNamesNobodyUnlessAsked) {
  accept("1.2.3", 10);
  run();
  const std::string line = contents_of(scratch_.file("log"));
  const auto json = nlohmann::json::parse(line);
  EXPECT_EQ(json["class"], "dark");
  EXPECT_EQ(json["model"]["name"], "skin");
  for (const std::string word : {"1.2.3", "1.2.9", "P-4711", "ller"}) {
    EXPECT_EQ(line.find(word), std::string::npos) << word;
  }
  accept("1.2.4", 10);
  run(true);
  const std::string second = contents_of(scratch_.file("log")).substr(line.size());
  EXPECT_EQ(nlohmann::json::parse(second)["group"], "P-4711");
  EXPECT_EQ(nlohmann::json::parse(second)["dicom"]["sop_instance_uid"], "1.2.4");
}

TEST_F(Answering, ABadImageIsPutAsideAndTheOthersAnswered) {
  accept("1.1", 10);
  auto cut = dicom_image("1.2", 10);
  cut.without(0x7fe00010);
  spool_.accept("1.2", cut.file());
  accept("1.3", 10);
  run();
  EXPECT_EQ(spool_.reports(), 2U);
  EXPECT_TRUE(fs::exists(folder_ + "/failed/1.2.dcm"));
  EXPECT_NE(told_.find("could not be answered"), std::string::npos);
  EXPECT_EQ(told_.find("1.2"), std::string::npos) << told_;
  EXPECT_EQ(std::count(told_.begin(), told_.end(), '\n'), 1);
}

TEST_F(Answering, AnImageThatWasRemovedIsForgottenAndTheOthersAnswered) {
  for (const std::string uid : {"1.1", "1.2", "1.3"}) accept(uid, 10);
  fs::remove(folder_ + "/images/1.1.dcm");
  run();
  EXPECT_EQ(spool_.reports(), 2U);
  EXPECT_EQ(spool_.images(), 0U);
  EXPECT_EQ(told_, "an image was removed from the spool before it was answered\n");
}

TEST_F(Answering, AnImageThatCannotBeReadIsPutAsideAfterSomeTriesAndTheOthersAnswered) {
  for (const std::string uid : {"1.1", "1.2", "1.3"}) accept(uid, 10);
  fs::remove(folder_ + "/images/1.1.dcm");
  fs::create_directory(folder_ + "/images/1.1.dcm");  // root may read any file, but no folder
  run();
  EXPECT_EQ(spool_.reports(), 2U);
  EXPECT_EQ(spool_.images(), 0U);
  EXPECT_EQ(told_,
            "an image could not be answered and is in the folder 'failed': cannot read a file of "
            "the spool: it is a folder\n");
  EXPECT_TRUE(fs::exists(folder_ + "/failed/1.1.json"));
}

TEST_F(Answering, WhatTheSystemRefusesIsToldOnceWithoutUids) {
  accept("1.2.3", 10);
  fs::create_directory(folder_ + "/reports/" + spool_.report_uid("1.2.3") + ".dcm");
  std::thread rescue([&] {
    // Some more tries after the first, of which no more is told.
    for (int i = 0; i < 1000 && times_told_ == 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    fs::remove(folder_ + "/reports/" + spool_.report_uid("1.2.3") + ".dcm");
  });
  run();
  rescue.join();
  EXPECT_EQ(spool_.reports(), 1U);
  EXPECT_EQ(told_, "answering waits: cannot write a file of the spool: it is a folder\n");
}

TEST_F(Answering, WithPatientsInTheLogTheLinesStillNameNobody) {
  auto cut = dicom_image("1.2.3", 10);
  cut.without(0x7fe00010);
  spool_.accept("1.2.3", cut.file());
  run(true);
  EXPECT_NE(told_.find("could not be answered"), std::string::npos);
  EXPECT_EQ(told_.find("1.2.3"), std::string::npos) << told_;
}

TEST_F(Answering, WhatTheModelCannotTakeTogetherIsTakenAlone) {
  for (int i = 0; i < 5; ++i) accept("1.2." + std::to_string(i), 255);  // see FakeModel
  run();
  EXPECT_EQ(spool_.reports(), 5U) << told_;
}

TEST_F(Answering, AReportThatCannotBeMadeIsAFailure) {
  accept("1.2.3", 10);
  run(false, [](const ReportContent&) -> std::string { throw DataError("no words for it"); });
  EXPECT_NE(contents_of(folder_ + "/failed/1.2.3.json").find("no words for it"), std::string::npos);
}

}  // namespace
}  // namespace cubcal
