#include "cubcal/report/verdict.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "report/example_run.h"

namespace cubcal::report {
namespace {

class VerdictOf : public testing::Test {
 protected:
  Verdict verdict(double evidence, const std::string& leave_out = "") {
    write_example_run(scratch_.path() / "run", "bnn", 1, evidence);
    if (!leave_out.empty()) std::filesystem::remove(scratch_.path() / "run" / leave_out);
    ReportOptions options;
    options.bootstrap.replicates = 50;
    run_ = analyse(read_run(scratch_.file("run")), options);
    return verdict_of(run_);
  }
  /// Calls every image of a class benign, and says how many they are.
  std::size_t mistake_all_of(std::int64_t label) {
    std::size_t images = 0;
    for (std::size_t i = 0; i < run_.facts.samples; ++i) {
      if (run_.facts.labels[i] != label) continue;
      run_.facts.predicted[i] = 0;
      run_.facts.correct[i] = 0;
      ++images;
    }
    return images;
  }
  static bool has(const std::string& text, const std::string& words) {
    return text.find(words) != std::string::npos;
  }
  void choose(CalibrationMethod method) {
    run_.chosen = static_cast<std::size_t>(run_.find(method) - run_.post_hoc.data());
  }
  static bool any_has(const std::vector<std::string>& texts, const std::string& words) {
    for (const std::string& text : texts) {
      if (has(text, words)) return true;
    }
    return false;
  }

  test::ScratchFolder scratch_;
  RunResult run_;
};

TEST_F(VerdictOf, AnOverconfidentModelIsCalledThat) {
  const Verdict verdict = this->verdict(1.2);
  EXPECT_TRUE(has(verdict.accuracy, "of 200 test images in 100 groups")) << verdict.accuracy;
  EXPECT_TRUE(has(verdict.accuracy, "always saying “")) << verdict.accuracy;
  EXPECT_TRUE(has(verdict.honesty, "It is overconfident: ")) << verdict.honesty;
  EXPECT_TRUE(has(verdict.honesty, "of pairs (chance: 50%)")) << verdict.honesty;
  EXPECT_TRUE(has(verdict.referral, "validation images")) << verdict.referral;
  EXPECT_TRUE(any_has(verdict.beware, "made with certainty"));
  EXPECT_TRUE(any_has(verdict.beware, "Of 60 images that show none of its classes, "));
  EXPECT_TRUE(any_has(verdict.beware, "The test set is small"));
}

TEST_F(VerdictOf, AModelWithoutMistakesIsNotFaulted) {
  const Verdict verdict = this->verdict(12);
  EXPECT_TRUE(has(verdict.accuracy, "It was right on 100.0%")) << verdict.accuracy;
  EXPECT_TRUE(has(verdict.honesty, "Its confidence is honest: ")) << verdict.honesty;
  EXPECT_TRUE(has(verdict.honesty, "It made no mistakes here")) << verdict.honesty;
  EXPECT_TRUE(has(verdict.referral, "answers were then wrong (0.0%")) << verdict.referral;
  EXPECT_FALSE(any_has(verdict.beware, "mistake"));
}

TEST_F(VerdictOf, OnlyAnOverconfidentModelIsOnlySoOftenRight) {
  EXPECT_TRUE(has(this->verdict(1.2).honesty, "sure on average and only "));
  verdict(12);
  run_.values[Metric::kAccuracy] = 0.99;  // a little less than it is sure of
  const std::string honesty = verdict_of(run_).honesty;
  EXPECT_TRUE(has(honesty, "Its confidence is honest: ")) << honesty;
  EXPECT_TRUE(has(honesty, "sure on average and 99.0% right")) << honesty;
}

TEST_F(VerdictOf, AModelWorseThanOneAnswerToAllIsCalledThat) {
  EXPECT_FALSE(any_has(verdict(4).beware, "One answer to all"));
  run_.values[Metric::kAccuracy] = 0.1;
  const std::vector<std::string> beware = verdict_of(run_).beware;
  EXPECT_TRUE(any_has(beware, "One answer to all images would be right more often."));
}

TEST_F(VerdictOf, AClassThatIsNeverRecognisedIsNamed) {
  verdict(4);
  const std::size_t images = mistake_all_of(1);
  const std::vector<std::string> beware = verdict_of(run_).beware;
  EXPECT_TRUE(any_has(beware, "Class “malignant” is recognised in none of its " +
                                  std::to_string(images) + " images."))
      << beware.size();
}

TEST_F(VerdictOf, ClassesThatAreMostlyMissedAreAllNamed) {
  verdict(4);
  const std::string malignant = std::to_string(mistake_all_of(1));
  const std::string other = std::to_string(mistake_all_of(2));
  const std::vector<std::string> beware = verdict_of(run_).beware;
  EXPECT_TRUE(any_has(beware, "Recognised in less than half of their images: “malignant” (0 of " +
                                  malignant + "), “<other> & \"odd\"” (0 of " + other + ")."))
      << beware.size();
}

TEST_F(VerdictOf, ACalibrationThatBuysNothingIsSaidTo) {
  verdict(1.8);
  choose(CalibrationMethod::kDtsGuarded);
  for (PostHoc& each : run_.post_hoc) {
    each.values = run_.values;
    each.values[Metric::kNll] = 2 * *run_.values[Metric::kNll];
  }
  const std::vector<std::string> beware = verdict_of(run_).beware;
  EXPECT_TRUE(any_has(beware, "The calibration dts-guarded leaves BCCE at "));
}

TEST_F(VerdictOf, SpeaksOfTheAnswersThatTheModelInUseGives) {
  const std::string plain = verdict(1.8).honesty;
  choose(CalibrationMethod::kDtsGuarded);
  PostHoc& calibrated = run_.post_hoc[*run_.chosen];
  calibrated.values[Metric::kEce] = 0.123;
  run_.deployed.emplace();
  EXPECT_EQ(verdict_of(run_).honesty, plain);  // in use without a calibration
  run_.deployed->calibration = calibrated.calibration;
  EXPECT_TRUE(has(verdict_of(run_).honesty, "(ECE 12.3%)"));
}

TEST_F(VerdictOf, SubgroupsAreOfTheAnswersAndTheThresholdInUse) {
  verdict(1.8);
  ReportOptions options;
  options.bootstrap.replicates = 50;
  add_audit(run_, options);
  EXPECT_EQ(run_.audit->options.refer_above, run_.referral.threshold);
  choose(CalibrationMethod::kDtsGuarded);
  const PostHoc& calibrated = *run_.chosen_calibration();
  const std::size_t referral = audit_place("referral");

  run_.deployed.emplace();
  run_.deployed->calibration = calibrated.calibration;
  run_.deployed->verdict.emplace();
  run_.deployed->verdict->uncertainty = calibrated.facts.entropy[calibrated.facts.by_entropy[99]];
  add_audit(run_, options);
  EXPECT_EQ(run_.audit->options.refer_above, run_.deployed->verdict->uncertainty);
  const GroupAudit& group = run_.audit->columns[0].groups[0];
  const auto count = static_cast<double>(group.samples);
  const double all = *group.values[referral] * count + *group.rest[referral] * (200 - count);
  EXPECT_NEAR(all, 100, 1e-9);  // half of the calibrated answers lie above it

  run_.deployed->verdict->sets.emplace();
  EXPECT_FALSE(run_.referral_in_use());
}

TEST_F(VerdictOf, ChartsOfAModelInUseShowWhatItApplies) {
  verdict(1.0);
  EXPECT_EQ(run_.shown_calibrations().size(), 2U);
  RunInput input = read_run(scratch_.file("run"));
  input.deployed.emplace();
  ReportOptions options;
  options.bootstrap.replicates = 50;
  run_ = analyse(std::move(input), options);
  EXPECT_FALSE(run_.post_hoc.empty());
  EXPECT_TRUE(run_.shown_calibrations().empty());
}

TEST_F(VerdictOf, WithoutValidationTheThresholdIsSaidToFlatter) {
  const Verdict verdict = this->verdict(1.8, "val.npz");
  EXPECT_TRUE(has(verdict.referral, "found on these very test images")) << verdict.referral;
  EXPECT_TRUE(has(verdict.referral, "flatters")) << verdict.referral;
  EXPECT_TRUE(run_.post_hoc.empty());
  EXPECT_FALSE(run_.objective);
}

TEST_F(VerdictOf, OnlyAGapThatWasFoundIsNamed) {
  verdict(1.8);
  Audit audit;
  audit.labels = audit_labels(false);
  GroupAudit south;
  south.value = "south";
  south.samples = 40;
  south.is_compared = true;
  south.values.resize(audit.labels.size());
  south.rest = south.values;
  south.gaps.resize(audit.labels.size());
  const std::size_t accuracy = audit_place("accuracy");
  south.values[accuracy] = 0.5;
  south.rest[accuracy] = 0.75;
  south.gaps[accuracy] = {-0.25, std::nullopt, PermutationP{0.001, 0.06}, std::nullopt};
  audit.columns = {{"site", Grouping::kValues, true, {south}}};
  run_.audit = audit;
  const auto names_it = [&] {
    for (const std::string& sentence : verdict_of(run_).beware) {
      if (sentence ==
          "Where site is “south” it was right on only 50.0% of 40 images, elsewhere on "
          "75.0%.") {
        return true;
      }
    }
    return false;
  };
  EXPECT_FALSE(names_it());
  run_.audit->columns[0].groups[0].gaps[accuracy].test->corrected = 0.04;
  EXPECT_TRUE(names_it());
}

TEST_F(VerdictOf, ABoundIsNamedWhereACalibrationCameFromAFile) {
  Calibration calibration;
  calibration.method = CalibrationMethod::kDts;
  calibration.classes = 3;
  calibration.thresholds = thresholds_from_eta(0.325, 3);
  calibration.t_high = 0.5;
  calibration.t_low = 1.5;
  calibration.box_high = {0.5, 1};
  calibration.box_low = {1, 2};
  calibration.share_sharpened = 0.6;
  std::filesystem::create_directories(scratch_.path() / "run");
  save_calibration(scratch_.file("run/calibration-dts.json"), calibration);
  verdict(1.8);
  const PostHoc* dts = run_.find(CalibrationMethod::kDts);
  ASSERT_TRUE(dts);
  EXPECT_FALSE(dts->fitted_here);
  ASSERT_EQ(dts->warnings.size(), 1U);
  EXPECT_EQ(
      dts->warnings[0],
      "T_high = 0.5 lies on the lower bound of its box [0.5, 1]: the bound, not the data, set it");
}

TEST_F(VerdictOf, CalibrationsAreFittedWhereThereAreNone) {
  verdict(1.0);
  EXPECT_EQ(run_.post_hoc.size(), 4U);
  for (const PostHoc& each : run_.post_hoc) EXPECT_TRUE(each.fitted_here);
  ASSERT_TRUE(run_.chosen_calibration());
  EXPECT_EQ(run_.chosen_calibration()->calibration.method, CalibrationMethod::kTsNll);
  EXPECT_TRUE(run_.is_advised);
  EXPECT_EQ(run_.detection.size(), 7U);
  verdict(1.8);
  EXPECT_TRUE(run_.is_advised);
  EXPECT_FALSE(run_.chosen_calibration());
}

}  // namespace
}  // namespace cubcal::report
