#include "cubcal/node/folder_watch.h"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "node/dicom_images.h"

namespace cubcal {
namespace {

using test::contents_of;
using test::dicom_image;
using test::ScratchFolder;
namespace fs = std::filesystem;

class Watching : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(in_ + "/below"); }

  void put(const std::string& name, const std::string& bytes) {
    std::ofstream(in_ + "/" + name, std::ios::binary) << bytes;
  }
  FolderWatch watch(std::chrono::milliseconds settled = std::chrono::milliseconds(0)) {
    return FolderWatch(in_, spool_, {1 << 20, settled, std::chrono::hours(1)},
                       [&](const std::string& sentence) { told_ += sentence + "\n"; });
  }

  ScratchFolder scratch_;
  std::string in_ = scratch_.file("in");
  ImageSpool spool_{scratch_.file("spool"), "model", {3, 1 << 20}};
  std::string told_;
};

TEST_F(Watching, TakesFilesThatNoLongerChange) {
  put("a.dcm", dicom_image("1.1", 1).file());
  put("below/b", dicom_image("1.2", 1).file());
  put(".c.dcm", dicom_image("1.3", 1).file());
  put("d.part", dicom_image("1.4", 1).file());
  put("report.dcm", dicom_image("1.6", 1).text(0x00080060, "CS", "SR").file());
  FolderWatch folder = watch();
  folder.look();
  EXPECT_EQ(spool_.images(), 0U);  // seen for the first time
  const std::string whole = dicom_image("1.5", 1).file();
  put("e.dcm", whole.substr(0, 400));
  folder.look();
  EXPECT_EQ(spool_.images(), 2U);
  put("e.dcm", whole);
  folder.look();  // it changed since
  EXPECT_EQ(spool_.images(), 2U);
  folder.look();
  EXPECT_EQ(spool_.images(), 3U);
  EXPECT_EQ(spool_.read_image("1.5"), whole);
  EXPECT_EQ(told_, "");
  EXPECT_TRUE(fs::exists(in_ + "/a.dcm"));
}

TEST_F(Watching, WaitsAsLongAsItIsToldTo) {
  put("a.dcm", dicom_image("1.1", 1).file());
  FolderWatch folder = watch(std::chrono::hours(1));
  for (int i = 0; i < 3; ++i) folder.look();
  EXPECT_EQ(spool_.images(), 0U);
}

TEST_F(Watching, SaysOnceWhatIsNoImage) {
  put("M\xc3\xbcller.txt", "hello");
  put("large.dcm", std::string(2 << 20, 'x'));
  for (int run = 0; run < 2; ++run) {
    FolderWatch folder = watch();
    for (int i = 0; i < 3; ++i) folder.look();
  }
  EXPECT_EQ(std::count(told_.begin(), told_.end(), '\n'), 2) << told_;
  EXPECT_EQ(told_.find("ller"), std::string::npos) << told_;
  std::string notes;
  for (const auto& entry : fs::directory_iterator(scratch_.file("spool") + "/failed")) {
    notes += contents_of(entry.path());
  }
  EXPECT_NE(notes.find("M\xc3\xbcller.txt"), std::string::npos) << notes;
}

TEST_F(Watching, WhatFindsNoRoomIsTakenLater) {
  for (int i = 0; i < 4; ++i) {
    put(std::to_string(i), dicom_image("1.2." + std::to_string(i), 1).file());
  }
  FolderWatch folder = watch();
  folder.look();
  folder.look();
  EXPECT_EQ(spool_.images(), 3U);
  spool_.next_images(1, ImageSpool::Wait(0));
  spool_.answered("1.2.0", "report");
  folder.look();
  EXPECT_EQ(spool_.images(), 3U);
  EXPECT_TRUE(spool_.holds_image("1.2.3"));
}

TEST_F(Watching, WhatIsStillThereIsNotAnsweredAgainHoweverOldItIs) {
  put("a.dcm", dicom_image("1.1", 1).file());
  const auto grow_old = [&] {
    const fs::path note = scratch_.file("spool") + "/done/" + spool_.report_uid("1.1");
    fs::last_write_time(note, fs::file_time_type::clock::now() - std::chrono::hours(50));
  };
  FolderWatch first(in_, spool_, {1 << 20, std::chrono::milliseconds(0), std::chrono::hours(0)},
                    [](const std::string&) {});
  for (int i = 0; i < 2; ++i) first.look();
  spool_.next_images(1, ImageSpool::Wait(0));
  spool_.answered("1.1", "report");
  spool_.next_reports(1, ImageSpool::Wait(0));
  spool_.sent(spool_.report_uid("1.1"));
  grow_old();
  first.look();  // reminds, as every half hour
  spool_.forget_sent(std::chrono::hours(48));
  grow_old();
  FolderWatch second = watch();  // after a restart
  for (int i = 0; i < 2; ++i) second.look();
  spool_.forget_sent(std::chrono::hours(48));
  EXPECT_EQ(spool_.images(), 0U);
  EXPECT_EQ(spool_.accept("1.1", dicom_image("1.1", 1).file()), Intake::kKnown);
  EXPECT_EQ(told_, "");
}

TEST_F(Watching, OtherContentUnderAKnownUidIsTold) {
  put("a.dcm", dicom_image("1.1", 1).file());
  put("b.dcm", dicom_image("1.1", 2).file());
  FolderWatch folder = watch();
  for (int i = 0; i < 3; ++i) folder.look();
  EXPECT_EQ(spool_.images(), 1U);
  EXPECT_EQ(told_,
            "an image came again with other bytes under the same UID and is not answered again (1 "
            "since the start)\n");
}

TEST_F(Watching, AFolderThatIsNotThereIsAnError) {
  fs::remove_all(in_);
  FolderWatch folder = watch();
  EXPECT_THROW(folder.look(), IoError);
}

}  // namespace
}  // namespace cubcal
