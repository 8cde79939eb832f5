#include "cubcal/inspection/findings.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "inspection/fake_set.h"

namespace cubcal::test {
namespace {

const Finding* find(const std::vector<Finding>& findings, FindingKind kind) {
  const auto found = std::find_if(findings.begin(), findings.end(),
                                  [&](const Finding& finding) { return finding.kind == kind; });
  return found == findings.end() ? nullptr : &*found;
}

/// Two classes in train and test, four images each, nothing wrong with them.
FakeSet clean_set() {
  FakeSet set({"benign", "malignant"});
  for (const char* split : {"train", "test"}) {
    for (int i = 0; i < 8; ++i) set.add(i % 2, split, std::string(split) + std::to_string(i));
  }
  return set;
}

class Examine : public testing::Test {
 protected:
  FakeSet set = clean_set();

  std::vector<Finding> findings(const ExamineOptions& options = {}) const {
    return examine(set.catalog, set.facts, options);
  }
  /// Exactly one finding of this kind with this severity and sentence.
  void expect(FindingKind kind, Severity severity, const std::string& sentence,
              const std::vector<SampleList>& sets) const {
    const std::vector<Finding> all = findings();
    const Finding* finding = find(all, kind);
    ASSERT_NE(finding, nullptr) << finding_name(kind);
    EXPECT_EQ(finding->severity, severity);
    EXPECT_EQ(finding->sentence, sentence);
    EXPECT_EQ(finding->sets, sets);
    EXPECT_EQ(has_leak(all), severity == Severity::kLeak);
  }
};

TEST_F(Examine, ACleanSetHasNoFindings) {
  EXPECT_TRUE(findings().empty());
  EXPECT_FALSE(has_leak(findings()));
}

TEST_F(Examine, IdenticalImagesAcrossSplitsAreALeak) {
  set.make_identical(0, 8);
  expect(FindingKind::kIdenticalAcrossSplits, Severity::kLeak,
         "1 set of identical images (2 images) lies in more than one split.", {{0, 8}});
  EXPECT_EQ(find(findings(), FindingKind::kIdenticalUnderLabels), nullptr);
}

TEST_F(Examine, IdenticalImagesWithinASplitAreANote) {
  set.catalog.samples[2].group = set.catalog.samples[0].group;
  set.make_identical(0, 2);
  expect(FindingKind::kIdentical, Severity::kNote,
         "1 set of images (2 images) has identical pixels, none of the sets across splits.",
         {{0, 2}});
  EXPECT_EQ(findings().size(), 1U);
}

TEST_F(Examine, IdenticalImagesUnderDifferentLabels) {
  set.make_identical(0, 1);
  set.make_identical(0, 3);
  expect(FindingKind::kIdenticalUnderLabels, Severity::kWarning,
         "1 set of identical images (3 images) carries different labels: not all of them can be "
         "right.",
         {{0, 1, 3}});
}

TEST_F(Examine, IdenticalImagesInDifferentGroups) {
  set.make_identical(0, 2);
  expect(FindingKind::kIdenticalAcrossGroups, Severity::kWarning,
         "1 set of identical images (2 images) belongs to different groups; splitting "
         "the data anew keeps them together.",
         {{0, 2}});
}

TEST_F(Examine, IdenticalImagesAmongOutliers) {
  set.add(kNoLabel, kOutlierSplit, "o");
  set.make_identical(0, 16);
  expect(FindingKind::kIdenticalWithOutliers, Severity::kWarning,
         "1 set of identical images (2 images) lies both among the outliers ('ood') and elsewhere.",
         {{0, 16}});
}

TEST_F(Examine, WithoutSplitsNothingLeaksButGroupsAreAdvised) {
  for (Sample& sample : set.catalog.samples) sample.split = sample.group = "";
  set.make_identical(0, 8);
  expect(FindingKind::kIdentical, Severity::kNote,
         "1 set of images (2 images) has identical pixels; splitting the data keeps each "
         "set together.",
         {{0, 8}});
}

TEST_F(Examine, NearDuplicatesAcrossSplitsAreALeak) {
  set.make_near(2, 10);
  expect(FindingKind::kNearAcrossSplits, Severity::kLeak,
         "1 pair of near-duplicates lies in two splits (at most 24 of 256 bits of the perceptual "
         "hash differ, correlation 0.98 or more).",
         {{2, 10}});
  const std::vector<Finding> all = findings();
  const Finding* note = find(all, FindingKind::kNear);
  ASSERT_NE(note, nullptr);
  EXPECT_EQ(note->pairs.size(), 1U);
  ExamineOptions strict;
  strict.near.max_distance = 4;
  EXPECT_EQ(find(findings(strict), FindingKind::kNearAcrossSplits), nullptr);
}

TEST_F(Examine, NearDuplicatesOfCopiesCountToo) {
  set.make_near(0, 4);        // train, train
  set.make_identical(4, 12);  // the copy lies in test
  const std::vector<Finding> all = findings();
  const Finding* leak = find(all, FindingKind::kNearAcrossSplits);
  ASSERT_NE(leak, nullptr);
  EXPECT_EQ(leak->sets, (std::vector<SampleList>{{0, 12}}));
}

TEST_F(Examine, NearDuplicatesUnderDifferentLabels) {
  set.make_near(0, 1);
  expect(FindingKind::kNearUnderLabels, Severity::kWarning,
         "1 pair of near-duplicates carries different labels (at most 24 of 256 bits of the "
         "perceptual hash differ, correlation 0.98 or more).",
         {{0, 1}});
}

TEST_F(Examine, GroupsAcrossSplitsAreALeak) {
  set.catalog.samples[9].group = "train3";
  expect(FindingKind::kGroupAcrossSplits, Severity::kLeak,
         "1 group (2 images, such as 'train3') lies in more than one split.", {{3, 9}});
}

TEST_F(Examine, GroupsAmongOutliersAreAWarning) {
  set.add(kNoLabel, kOutlierSplit, "train3");
  expect(FindingKind::kGroupWithOutliers, Severity::kWarning,
         "1 group (2 images, such as 'train3') lies both among the outliers and elsewhere.",
         {{3, 16}});
}

TEST_F(Examine, UnreadableFilesAreAllListed) {
  for (const std::size_t i : {1, 5, 9}) {
    set.facts[i] = ImageFacts{};
    set.facts[i].unreadable = "damaged";
  }
  expect(FindingKind::kUnreadable, Severity::kWarning, "3 of 16 images cannot be read.",
         {{1, 5, 9}});
}

TEST_F(Examine, MissingClassesAndImbalance) {
  for (std::size_t i = 8; i < 16; ++i) {
    set.catalog.samples[i].label = 0;
    set.catalog.samples[i].label_name = "benign";
  }
  expect(FindingKind::kMissingClass, Severity::kWarning, "malignant has no images in test.", {});
  for (int i = 0; i < 16; ++i) set.add(0, "train");
  expect(FindingKind::kImbalance, Severity::kWarning,
         "benign has 5 times as many images as malignant (20 against 4 in train; warned of from 5 "
         "times on).",
         {});
  ExamineOptions options;
  options.imbalance = 6;
  EXPECT_EQ(find(findings(options), FindingKind::kImbalance), nullptr);
  options.imbalance = 0.5;
  expect_error<ArgumentError>([&] { findings(options); }, "imbalance");
}

TEST_F(Examine, AColumnThatTellsTheClass) {
  set = FakeSet({"benign", "malignant"});
  set.catalog.columns = {"site", "scanner"};
  for (int i = 0; i < 80; ++i) {
    set.add(i % 2, "train", "", {i % 2 == 0 || i % 8 == 1 ? "A" : "B", i % 4 < 2 ? "s" : "t"});
  }
  const std::vector<Finding> all = findings();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].kind, FindingKind::kTellingColumn);
  EXPECT_EQ(all[0].severity, Severity::kWarning);
  ASSERT_TRUE(all[0].table);
  EXPECT_EQ(all[0].table->column, "site");
  EXPECT_NE(all[0].sentence.find("'site' gives the class away (knowing it settles 5"),
            std::string::npos)
      << all[0].sentence;
}

TEST_F(Examine, AFinerLabelIsNamedAsSuch) {
  set = FakeSet({"benign", "malignant"});
  set.catalog.columns = {"subtype"};
  for (int i = 0; i < 80; ++i) {
    set.add(i % 2, "train", "", {i % 2 == 0 ? "nevus" : i % 4 == 1 ? "mel" : "bcc"});
  }
  const std::vector<Finding> all = findings();
  ASSERT_EQ(all.size(), 1U);
  EXPECT_NE(all[0].sentence.find("unless it is a finer label"), std::string::npos)
      << all[0].sentence;
}

TEST_F(Examine, EnlargedImagesByClass) {
  set.facts[1].enlargement = Enlargement{-1.5, 4.0};
  set.facts[3].enlargement = Enlargement{-1.5, 4.2};
  expect(FindingKind::kEnlarged, Severity::kWarning,
         "2 of 16 images are blurred as if they had been enlarged, about 4.2 times: malignant 2 of "
         "8.",
         {{1, 3}});
}

TEST_F(Examine, ConstantImages) {
  set.facts[6].min_level = set.facts[6].max_level;
  expect(FindingKind::kConstant, Severity::kWarning,
         "1 of 16 images is of one level throughout and shows nothing.", {{6}});
}

TEST_F(Examine, MixturesAreNotes) {
  set.facts[0].width = 300;
  set.facts[1].channels = 3;
  set.facts[2].channels = 3;
  set.facts[2].gray_as_rgb = true;
  set.facts[3].bits = 16;
  expect(FindingKind::kMixedSizes, Severity::kNote,
         "Images have 2 sizes (widths 100 to 300, heights 100); the commonest is 100 x 100 (15 "
         "images).",
         {});
  expect(FindingKind::kMixedColour, Severity::kNote,
         "Images differ in colour: gray (14), RGB (1) and gray stored as RGB (1).", {});
  expect(FindingKind::kMixedDepth, Severity::kNote,
         "Images differ in depth: 8 bits (15) and 16 bits (1).", {});
  expect(FindingKind::kGrayAsRgb, Severity::kNote,
         "1 of 16 images stores gray as RGB: one channel would do.", {{2}});
}

TEST_F(Examine, ARangeNobodyUses) {
  for (ImageFacts& image : set.facts) {
    image.bits = 16;
    image.max_level = 4095;
  }
  expect(FindingKind::kUnusedRange, Severity::kNote,
         "No level is above 4095 of 65535: the images are dark or their range is another than "
         "their depth.",
         {});
}

TEST_F(Examine, LeaksComeFirst) {
  set.facts[0].width = 300;
  set.facts[6].min_level = set.facts[6].max_level;
  set.catalog.samples[9].group = "train3";
  const std::vector<Finding> all = findings();
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].severity, Severity::kLeak);
  EXPECT_EQ(all[1].severity, Severity::kWarning);
  EXPECT_EQ(all[2].severity, Severity::kNote);
}

TEST_F(Examine, RefusesFactsOfAnotherSet) {
  set.facts.pop_back();
  expect_error<ArgumentError>([&] { findings(); }, "image facts");
}

TEST(FindingNames, AreAllDifferent) {
  std::vector<std::string> names;
  for (int kind = 0; kind <= static_cast<int>(FindingKind::kUnusedRange); ++kind) {
    names.emplace_back(finding_name(static_cast<FindingKind>(kind)));
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(std::adjacent_find(names.begin(), names.end()), names.end());
}

}  // namespace
}  // namespace cubcal::test
