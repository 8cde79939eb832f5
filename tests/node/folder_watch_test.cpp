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
    return FolderWatch(in_, spool_, {1 << 20, settled},
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

TEST_F(Watching, AFolderThatIsNotThereIsAnError) {
  fs::remove_all(in_);
  FolderWatch folder = watch();
  EXPECT_THROW(folder.look(), IoError);
}

}  // namespace
}  // namespace cubcal
