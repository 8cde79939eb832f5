#include "cubcal/spool/image_spool.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <thread>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/core/seed_stream.h"

namespace cubcal {
namespace {

using test::contents_of;
using test::ScratchFolder;
namespace fs = std::filesystem;

constexpr ImageSpool::Wait kNoWait{0};

std::string uid_of(std::size_t i) { return "1.2.3." + std::to_string(i); }

class Spool : public testing::Test {
 protected:
  void open(const SpoolLimits& limits = {}, const std::string& answerer = "model") {
    spool_.reset();
    spool_ = std::make_unique<ImageSpool>(folder_, answerer, limits);
  }
  std::size_t count(const std::string& name) const {
    const fs::directory_iterator files(folder_ + "/" + name);
    return static_cast<std::size_t>(std::distance(begin(files), end(files)));
  }

  ScratchFolder scratch_;
  std::string folder_ = scratch_.file("spool");
  std::unique_ptr<ImageSpool> spool_;
};

TEST_F(Spool, AnImageGoesThroughToItsNote) {
  open();
  EXPECT_EQ(spool_->accept("1.2", "pixels"), Intake::kStored);
  EXPECT_EQ(spool_->next_images(5, kNoWait), std::vector<std::string>{"1.2"});
  EXPECT_TRUE(spool_->next_images(5, kNoWait).empty());
  EXPECT_EQ(spool_->read_image("1.2"), "pixels");
  spool_->answered("1.2", "report");
  EXPECT_EQ(spool_->images(), 0U);
  const std::string report = spool_->report_uid("1.2");
  EXPECT_EQ(spool_->next_reports(5, kNoWait), std::vector<std::string>{report});
  EXPECT_EQ(spool_->read_report(report), "report");
  spool_->sent(report);
  EXPECT_EQ(spool_->reports(), 0U);
  EXPECT_EQ(count("images") + count("reports") + count("failed"), 0U);
  EXPECT_EQ(count("done"), 1U);
  EXPECT_EQ(fs::status(folder_).permissions(), fs::perms::owner_all);
}

TEST_F(Spool, AnImageIsKnownFromItsAcceptanceToItsNote) {
  open();
  const auto known = [&] {
    const std::size_t others = spool_->others();
    return spool_->accept("1.2", "pixels") == Intake::kKnown &&
           spool_->accept("1.2", "other pixels") == Intake::kOther && spool_->others() > others;
  };
  EXPECT_EQ(spool_->accept("1.2", "pixels"), Intake::kStored);
  EXPECT_TRUE(known());
  spool_->next_images(1, kNoWait);
  EXPECT_TRUE(known());
  EXPECT_EQ(spool_->read_image("1.2"), "pixels");
  spool_->answered("1.2", "report");
  EXPECT_TRUE(known());
  spool_->next_reports(1, kNoWait);
  spool_->sent(spool_->report_uid("1.2"));
  EXPECT_TRUE(known());
  open();
  EXPECT_TRUE(known());
  open({}, "another model");
  EXPECT_EQ(spool_->accept("1.2", "pixels"), Intake::kStored);
}

TEST_F(Spool, EveryStateIsFoundAgain) {
  open();
  for (std::size_t i = 0; i < 4; ++i) spool_->accept(uid_of(i), "pixels");
  spool_->next_images(3, kNoWait);
  spool_->answered(uid_of(0), "report 0");
  spool_->answered(uid_of(1), "report 1");
  spool_->next_reports(2, kNoWait);
  spool_->sent(spool_->report_uid(uid_of(0)));
  open();
  EXPECT_EQ(spool_->next_images(9, kNoWait), (std::vector<std::string>{uid_of(2), uid_of(3)}));
  EXPECT_EQ(spool_->next_reports(9, kNoWait),
            std::vector<std::string>{spool_->report_uid(uid_of(1))});
}

TEST_F(Spool, WhereAnObjectIsInTwoFoldersTheLaterCounts) {
  open();
  const std::string answered = spool_->report_uid("1.1");
  const std::string sent = spool_->report_uid("1.2");
  const auto put = [&](const std::string& name) { std::ofstream(folder_ + "/" + name) << "x"; };
  put("images/1.1.dcm");
  put("reports/" + answered + ".dcm");
  put("images/1.2.dcm");
  put("reports/" + sent + ".dcm");
  put("done/" + sent);
  put("images/not a uid.dcm");
  put("images/.cubcal-host-1-1.tmp");
  open();
  EXPECT_TRUE(spool_->next_images(9, kNoWait).empty());
  EXPECT_EQ(spool_->next_reports(9, kNoWait), std::vector<std::string>{answered});
  EXPECT_FALSE(fs::exists(folder_ + "/images/1.1.dcm"));
  EXPECT_FALSE(fs::exists(folder_ + "/reports/" + sent + ".dcm"));
  EXPECT_TRUE(fs::exists(folder_ + "/images/not a uid.dcm"));
}

TEST_F(Spool, WhatFailedIsKeptWithItsReasonAndMayComeAgain) {
  open();
  spool_->accept("1.2", "pixels");
  spool_->next_images(1, kNoWait);
  spool_->failed("1.2", "it has no pixels");
  EXPECT_EQ(spool_->images(), 0U);
  EXPECT_EQ(contents_of(folder_ + "/failed/1.2.dcm"), "pixels");
  EXPECT_NE(contents_of(folder_ + "/failed/1.2.json").find("it has no pixels"), std::string::npos);
  EXPECT_EQ(spool_->accept("1.2", "pixels"), Intake::kStored);
  spool_->next_images(1, kNoWait);
  spool_->answered("1.2", "report");
  EXPECT_EQ(count("failed"), 0U);
  const std::string report = spool_->report_uid("1.2");
  spool_->next_reports(1, kNoWait);
  spool_->refused(report, "it does not want it");
  EXPECT_EQ(contents_of(folder_ + "/failed/" + report + ".dcm"), "report");
  EXPECT_EQ(spool_->reports(), 0U);
  EXPECT_EQ(spool_->accept("1.2", "pixels"), Intake::kStored);
}

TEST_F(Spool, IsFullWhenItIs) {
  SpoolLimits limits;
  limits.images = 2;
  limits.bytes = 10;
  open(limits);
  EXPECT_EQ(spool_->accept("1.1", "12345678901"), Intake::kFull);
  EXPECT_EQ(spool_->accept("1.1", "12345"), Intake::kStored);
  EXPECT_EQ(spool_->accept("1.2", "123456"), Intake::kFull);
  EXPECT_EQ(spool_->accept("1.2", "1234"), Intake::kStored);
  EXPECT_EQ(spool_->accept("1.3", ""), Intake::kFull);  // two wait
  EXPECT_EQ(spool_->accept("1.1", "12345"), Intake::kKnown);
  spool_->next_images(2, kNoWait);
  spool_->failed("1.1", "bad");
  EXPECT_EQ(spool_->accept("1.3", "12"), Intake::kFull);  // what failed takes room
  fs::remove(folder_ + "/failed/1.1.dcm");
  fs::remove(folder_ + "/failed/1.1.json");
  EXPECT_EQ(spool_->accept("1.3", "12"), Intake::kStored);
  open(limits);  // counted anew from the disk
  EXPECT_EQ(spool_->accept("1.4", ""), Intake::kFull);
}

TEST_F(Spool, RefusesWhatIsNoUid) {
  open();
  for (const std::string uid : {"../1", "", "1/2", "a"}) {
    EXPECT_THROW(spool_->accept(uid, "x"), DataError) << uid;
  }
  EXPECT_EQ(count("images"), 0U);
}

TEST_F(Spool, TheSameImageFromManySendersIsStoredOnce) {
  open();
  std::atomic<int> stored{0};
  std::vector<std::thread> senders;
  for (int t = 0; t < 8; ++t) {
    senders.emplace_back([&] {
      for (std::size_t i = 0; i < 10; ++i) {
        if (spool_->accept(uid_of(i), "pixels") == Intake::kStored) ++stored;
      }
    });
  }
  for (std::thread& sender : senders) sender.join();
  EXPECT_EQ(stored, 10);
  EXPECT_EQ(spool_->next_images(99, kNoWait).size(), 10U);
}

TEST_F(Spool, AFileThatIsNoImageIsNotedOnce) {
  open();
  EXPECT_TRUE(spool_->note_bad_file("0123", "a.txt", "no DICOM file"));
  EXPECT_FALSE(spool_->note_bad_file("0123", "a.txt", "no DICOM file"));
  EXPECT_TRUE(fs::exists(folder_ + "/failed/file-0123.json"));
}

TEST_F(Spool, OldNotesAreForgotten) {
  open();
  for (const std::string uid : {"1.1", "1.2"}) {
    spool_->accept(uid, "x");
    spool_->next_images(1, kNoWait);
    spool_->answered(uid, "y");
    spool_->next_reports(1, kNoWait);
    spool_->sent(spool_->report_uid(uid));
  }
  const fs::path old = folder_ + "/done/" + spool_->report_uid("1.1");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(50));
  spool_->forget_sent(std::chrono::hours(48));
  EXPECT_EQ(spool_->accept("1.2", "x"), Intake::kKnown);
  EXPECT_EQ(spool_->accept("1.1", "x"), Intake::kStored);
}

TEST_F(Spool, WhatIsStillSomewhereIsNotForgotten) {
  open();
  spool_->remember("1.1");  // nothing is known of it
  EXPECT_EQ(count("done"), 0U);
  spool_->accept("1.1", "x");
  spool_->next_images(1, kNoWait);
  spool_->answered("1.1", "y");
  spool_->next_reports(1, kNoWait);
  spool_->sent(spool_->report_uid("1.1"));
  const fs::path old = folder_ + "/done/" + spool_->report_uid("1.1");
  fs::last_write_time(old, fs::file_time_type::clock::now() - std::chrono::hours(50));
  spool_->remember("1.1");
  spool_->forget_sent(std::chrono::hours(48));
  EXPECT_EQ(spool_->accept("1.1", "x"), Intake::kKnown);
}

TEST_F(Spool, WhatWasRemovedByOthersTakesNoRoom) {
  SpoolLimits limits;
  limits.bytes = 10;
  open(limits);
  spool_->accept("1.1", "1234567890");
  fs::remove(folder_ + "/images/1.1.dcm");
  spool_->next_images(1, kNoWait);
  spool_->forget_image("1.1");
  EXPECT_EQ(spool_->images(), 0U);
  EXPECT_EQ(spool_->accept("1.2", "12345"), Intake::kStored);
  spool_->next_images(1, kNoWait);
  spool_->answered("1.2", "1234567890");
  fs::remove(folder_ + "/reports/" + spool_->report_uid("1.2") + ".dcm");
  spool_->next_reports(1, kNoWait);
  spool_->forget_report(spool_->report_uid("1.2"));
  EXPECT_EQ(spool_->reports(), 0U);
  EXPECT_EQ(spool_->accept("1.2", "1234567890"), Intake::kStored);
}

TEST_F(Spool, HandsNothingOutOnceClosed) {
  open();
  spool_->close();
  spool_->accept("1.2", "x");
  EXPECT_TRUE(spool_->next_images(1, std::chrono::seconds(60)).empty());  // closed: no wait
}

/// Against a model of it in memory: any order of calls, with the folder opened anew in between.
TEST_F(Spool, BehavesAsItsModelWhateverTheOrder) {
  enum class State { kNone, kImage, kReport, kSent, kFailed };
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    folder_ = scratch_.file("model-" + std::to_string(seed));
    open();
    SeedStream random(seed, 0);
    std::map<std::string, State> states;
    std::set<std::string> put_aside;  // until it is answered after all
    for (int step = 0; step < 120; ++step) {
      const std::string uid = uid_of(random.below(6));
      State& state = states[uid];
      switch (random.below(6)) {
        case 0: {
          const bool is_new = state == State::kNone || state == State::kFailed;
          EXPECT_EQ(spool_->accept(uid, uid), is_new ? Intake::kStored : Intake::kKnown);
          if (is_new) state = State::kImage;
          break;
        }
        case 1:
          for (const std::string& each : spool_->next_images(1, kNoWait)) {
            EXPECT_EQ(states[each], State::kImage);
            spool_->answered(each, "report of " + each);
            states[each] = State::kReport;
            put_aside.erase(each);
          }
          break;
        case 2:
          for (const std::string& each : spool_->next_images(1, kNoWait)) {
            EXPECT_EQ(states[each], State::kImage);
            if (random.below(2) == 0) {
              spool_->failed(each, "so it is");
              states[each] = State::kFailed;
              put_aside.insert(each);
            } else {
              spool_->put_back_image(each, true);
            }
          }
          break;
        case 3:
          for (const std::string& each : spool_->next_reports(1, kNoWait)) {
            const std::string text = spool_->read_report(each);
            const std::string image = text.substr(text.rfind(' ') + 1);
            EXPECT_EQ(states[image], State::kReport);
            EXPECT_EQ(spool_->report_uid(image), each);
            spool_->sent(each);
            states[image] = State::kSent;
          }
          break;
        case 4:
          for (const std::string& each : spool_->next_reports(1, kNoWait)) {
            spool_->put_back_report(each, random.below(2) == 0);
          }
          break;
        default: open();
      }
      const auto in_state = [&](State wanted) {
        return static_cast<std::size_t>(std::count_if(
            states.begin(), states.end(), [&](const auto& each) { return each.second == wanted; }));
      };
      ASSERT_EQ(spool_->images(), in_state(State::kImage));
      ASSERT_EQ(spool_->reports(), in_state(State::kReport));
      ASSERT_EQ(count("images"), in_state(State::kImage));
      ASSERT_EQ(count("reports"), in_state(State::kReport));
      ASSERT_EQ(count("failed"), 2 * put_aside.size());
    }
  }
}

}  // namespace
}  // namespace cubcal
