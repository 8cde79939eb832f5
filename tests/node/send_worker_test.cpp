#include "cubcal/node/send_worker.h"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "cli/program.h"
#include "cubcal/node/folder_target.h"

namespace cubcal {
namespace {

using test::contents_of;
using test::ScratchFolder;

/// Gives the results it was told to, then stores.
class FakeTarget : public ReportTarget {
 public:
  explicit FakeTarget(std::deque<Delivery> first) : first_(std::move(first)) {}
  DeliveryResult deliver(const std::string& uid, const std::string&) override {
    Delivery outcome = Delivery::kStored;
    if (!first_.empty()) {
      outcome = first_.front();
      first_.pop_front();
    }
    if (outcome == Delivery::kStored) stored.push_back(uid);
    return {outcome, reason};
  }
  std::string name() const override { return "PACS"; }
  std::vector<std::string> stored;
  std::string reason = "so it is";

 private:
  std::deque<Delivery> first_;
};

class Sending : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string uid : {"1.1", "1.2", "1.3"}) {
      spool_.accept(uid, "image");
      spool_.next_images(1, ImageSpool::Wait(0));
      spool_.answered(uid, "report of " + uid);
    }
  }

  void run(ReportTarget& target) {
    SendOptions options;
    options.first_pause = std::chrono::milliseconds(0);
    SendWorker worker(spool_, target, options,
                      [&](const std::string& sentence) { told_ += sentence + "\n"; });
    for (int i = 0; i < 2000 && spool_.reports() > 0; ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  std::vector<std::string> all() const {
    return {spool_.report_uid("1.1"), spool_.report_uid("1.2"), spool_.report_uid("1.3")};
  }

  ScratchFolder scratch_;
  std::string folder_ = scratch_.file("spool");
  ImageSpool spool_{folder_, "model"};
  std::string told_;
};

TEST_F(Sending, EachIsSentOnceInOrder) {
  FakeTarget target({});
  run(target);
  EXPECT_EQ(target.stored, all());
  EXPECT_EQ(told_, "");
}

TEST_F(Sending, WhereNobodyIsThereAllWaitAndAreSentInOrder) {
  FakeTarget target({Delivery::kUnreachable, Delivery::kUnreachable, Delivery::kUnreachable,
                     Delivery::kUnreachable, Delivery::kUnreachable, Delivery::kUnreachable,
                     Delivery::kUnreachable});
  run(target);
  EXPECT_EQ(target.stored, all());
  EXPECT_EQ(std::count(told_.begin(), told_.end(), '\n'), 2) << told_;  // the first, and the end
}

TEST_F(Sending, WhatIsRefusedFiveTimesIsPutAside) {
  FakeTarget refusing(std::deque<Delivery>(15, Delivery::kRefused));
  run(refusing);
  EXPECT_TRUE(refusing.stored.empty());
  EXPECT_EQ(spool_.reports(), 0U);
  for (const std::string& uid : all()) {
    EXPECT_NE(contents_of(folder_ + "/failed/" + uid + ".json").find("so it is"),
              std::string::npos);
  }
}

TEST_F(Sending, OneThatIsRefusedHoldsNoOtherUp) {
  FakeTarget target({Delivery::kRefused});
  run(target);
  EXPECT_EQ(target.stored, (std::vector<std::string>{all()[1], all()[2], all()[0]}));
}

TEST_F(Sending, AReportThatWasRemovedIsForgottenAndTheOthersSent) {
  std::filesystem::remove(folder_ + "/reports/" + all()[0] + ".dcm");
  FakeTarget target({});
  run(target);
  EXPECT_EQ(target.stored, (std::vector<std::string>{all()[1], all()[2]}));
  EXPECT_EQ(told_, "a report was removed from the spool before it was sent\n");
}

TEST_F(Sending, AReportThatCannotBeReadIsPutAsideAfterSomeTriesAndTheOthersSent) {
  const std::string path = folder_ + "/reports/" + all()[0] + ".dcm";
  std::filesystem::remove(path);
  std::filesystem::create_directory(path);
  FakeTarget target({});
  run(target);
  EXPECT_EQ(target.stored, (std::vector<std::string>{all()[1], all()[2]}));
  EXPECT_EQ(told_,
            "a report could not be read 5 times and is in the folder 'failed': cannot read a file "
            "of the spool: it is a folder\n");
  EXPECT_TRUE(std::filesystem::exists(folder_ + "/failed/" + all()[0] + ".json"));
}

TEST_F(Sending, AnotherReasonIsToldToo) {
  class Changing : public FakeTarget {
   public:
    Changing() : FakeTarget(std::deque<Delivery>(4, Delivery::kUnreachable)) {}
    DeliveryResult deliver(const std::string& uid, const std::string& report) override {
      reason = count_++ < 2 ? "nobody is there" : "it has no room";
      return FakeTarget::deliver(uid, report);
    }

   private:
    int count_ = 0;
  } target;
  run(target);
  EXPECT_EQ(std::count(told_.begin(), told_.end(), '\n'), 3) << told_;
  EXPECT_NE(told_.find("nobody is there"), std::string::npos);
  EXPECT_NE(told_.find("it has no room"), std::string::npos);
}

TEST_F(Sending, WhatAFolderGetsIsItsOwnersAlone) {
  const std::string out = scratch_.file("out");
  FolderTarget target(out);
  run(target);
  namespace fs = std::filesystem;
  EXPECT_EQ(fs::status(out).permissions(), fs::perms::owner_all);
  EXPECT_EQ(fs::status(out + "/" + all()[0] + ".dcm").permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(Sending, AFolderThatIsFullIsToldWithoutUids) {
  FolderTarget target(scratch_.file("out"));
  std::filesystem::create_directory(scratch_.file("out") + "/" + all()[0] + ".dcm");
  const DeliveryResult result = target.deliver(all()[0], "report");
  EXPECT_EQ(result.outcome, Delivery::kUnreachable);
  EXPECT_EQ(result.reason, "cannot write a file of it: Is a directory");
}

TEST_F(Sending, AFolderGetsAFileForEach) {
  FolderTarget target(scratch_.file("out"));
  run(target);
  EXPECT_EQ(contents_of(scratch_.file("out") + "/" + all()[1] + ".dcm"), "report of 1.2");
}

TEST(BackOff, DoublesUpToAMinute) {
  using std::chrono::milliseconds;
  EXPECT_EQ(back_off(0), milliseconds(0));
  EXPECT_EQ(back_off(1), milliseconds(1000));
  EXPECT_EQ(back_off(4), milliseconds(8000));
  EXPECT_EQ(back_off(7), milliseconds(60000));
  EXPECT_EQ(back_off(1000000), milliseconds(60000));
}

}  // namespace
}  // namespace cubcal
