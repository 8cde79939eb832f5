#include "cubcal/inspection/correction.h"

#include <gtest/gtest.h>

#include "cubcal/inspection/spelling.h"
#include "inspection/fake_set.h"

namespace cubcal::test {
namespace {

/// The pairs that are found alike among classes of these sizes, "rarer>commoner", with a star
/// where they are corrected.
std::vector<std::string> alike(const std::vector<std::pair<std::string, int>>& classes) {
  std::vector<std::string> names;
  for (const auto& [name, count] : classes) names.push_back(name);
  FakeSet set(names);
  for (std::size_t k = 0; k < classes.size(); ++k) {
    for (int i = 0; i < classes[k].second; ++i) set.add(static_cast<std::int64_t>(k));
  }
  std::vector<std::string> found;
  for (const AlikeNames& pair : alike_labels(set.catalog)) {
    found.push_back(pair.rarer + ">" + pair.commoner + (pair.is_corrected() ? "*" : ""));
  }
  return found;
}

using Texts = std::vector<std::string>;

TEST(Spelling, FindsOneThingUnderSeveralNames) {
  EXPECT_EQ(alike({{"Melanoma", 30},
                   {"melanoma", 9},
                   {"Melanmoa", 2},
                   {"naevus", 5},
                   {"naevus ", 5},
                   {"basal_cell", 3},
                   {"Basal cell", 4}}),
            (Texts{"melanoma>Melanoma*", "naevus >naevus*", "basal_cell>Basal cell*",
                   "Melanmoa>Melanoma*"}));
  EXPECT_EQ(alike({{"melanoma", 10}, {"melanomo", 5}}), (Texts{"melanomo>melanoma"}));
  EXPECT_EQ(alike({{"basal cell carcinoma", 40}, {"basal cell carcinma", 1}}),
            (Texts{"basal cell carcinma>basal cell carcinoma*"}));
}

TEST(Spelling, LeavesWhatDiffersOnPurpose) {
  EXPECT_TRUE(alike({{"grade 1", 90}, {"grade 2", 1}, {"grade 10", 1}}).empty());
  EXPECT_TRUE(alike({{"typical", 90}, {"atypical", 1}, {"normal", 9}, {"abnormal", 1}}).empty());
  EXPECT_TRUE(
      alike({{"mel", 90}, {"nel", 1}, {"0", 5}, {"1", 1}, {"type a", 9}, {"type b", 9}}).empty());
  EXPECT_TRUE(alike({{"hyperplasia", 90}, {"hypoplasia", 1}}).empty());
}

struct Messy : FakeSet {
  Messy() : FakeSet({"Melanoma", "melanoma", "naevus"}) {
    for (int i = 0; i < 6; ++i) add(0, i % 2 == 0 ? "train" : "test", "p" + std::to_string(i));
    add(1, "train ", "p9");
    for (int i = 0; i < 4; ++i) add(2, "train", "q" + std::to_string(i));
    add(2, "", "q1");                               // 11: joins q1
    add(2, "");                                     // 12: nobody knows
    add(2, "test").unreadable = "it is cut short";  // 13
    facts[1].pixels = facts[0].pixels;              // train and test
    facts[8].pixels = facts[7].pixels;              // both in train
    catalog.faults = {"line 3 has no class"};
  }
};

TEST(Correction, CorrectsWhatNeedsNoPerson) {
  const Messy set;
  const Correction correction = corrected(set.catalog, set.facts);
  EXPECT_EQ(
      correction.changes,
      (Texts{"left out: line 3 has no class", "left out 'image13.png': it cannot be read",
             "class 'melanoma' of 1 image became 'Melanoma'",
             "split 'train ' of 1 image became 'train'",
             "'image11.png' had no split and joins its group in 'train'",
             "left out 'image12.png': it has no split",
             "left out 'image0.png': in 'train', the same pixels as 'image1.png' in 'test'"}));
  EXPECT_TRUE(correction.left.empty());
  const Catalog& after = correction.catalog;
  EXPECT_EQ(after.class_names, (Texts{"Melanoma", "naevus"}));
  EXPECT_EQ(after.samples.size(), set.catalog.samples.size() - 3);
  for (const Sample& sample : after.samples) {
    EXPECT_EQ(after.class_names[static_cast<std::size_t>(sample.label)], sample.label_name);
    EXPECT_TRUE(sample.split == "train" || sample.split == "test");
  }
  EXPECT_TRUE(after.faults.empty());
  EXPECT_EQ(set.catalog.samples[6].label_name, "melanoma");  // what came stays as it was
}

TEST(Correction, TheCommonestSpellingWithoutItsBlanksWins) {
  FakeSet set({"NV", "mel", "nv", "nv "});
  for (int i = 0; i < 4; ++i) set.add(0);
  for (int i = 0; i < 9; ++i) set.add(1);
  for (int i = 0; i < 2; ++i) set.add(2);
  for (int i = 0; i < 3; ++i) set.add(3);
  const Correction correction = corrected(set.catalog, set.facts);
  EXPECT_EQ(correction.changes,
            (Texts{"class 'NV' of 4 images became 'nv'", "class 'nv ' of 3 images became 'nv'"}));
  EXPECT_EQ(correction.catalog.class_names, (Texts{"nv", "mel"}));
  for (const Sample& sample : correction.catalog.samples) {
    EXPECT_EQ(sample.label_name, sample.label == 0 ? "nv" : "mel");
  }
  FakeSet blank({"NV", "nv "});
  for (int i = 0; i < 2; ++i) blank.add(0);
  for (int i = 0; i < 3; ++i) blank.add(1);
  EXPECT_EQ(corrected(blank.catalog, blank.facts).catalog.class_names, (Texts{"nv"}));
}

TEST(Correction, LeavesTornGroupsAndContradictionsToAPerson) {
  FakeSet set({"a", "b"});
  set.add(0, "train", "p");
  set.add(0, "test", "p");
  set.add(1, "train");
  set.facts[2].pixels = set.facts[0].pixels;
  const Correction correction = corrected(set.catalog, set.facts);
  EXPECT_TRUE(correction.changes.empty());
  EXPECT_EQ(correction.left,
            (Texts{"identical images under different labels: 'image0.png' and 1 more",
                   "1 group in several splits: a new split keeps groups and duplicates together"}));
}

TEST(Correction, FindingsSuggestIt) {
  const Messy set;
  std::vector<FindingKind> kinds;
  for (const Finding& finding : examine(set.catalog, set.facts)) kinds.push_back(finding.kind);
  for (const FindingKind kind : {FindingKind::kLeftOut, FindingKind::kLabelsAlike,
                                 FindingKind::kSplitsAlike, FindingKind::kNoSplit}) {
    EXPECT_NE(std::find(kinds.begin(), kinds.end(), kind), kinds.end()) << finding_name(kind);
  }
}

TEST(Findings, TurnedImagesAreCounted) {
  FakeSet set({"a", "b"});
  for (int i = 0; i < 4; ++i) set.add(i % 2).turned = i == 0;
  const std::vector<Finding> findings = examine(set.catalog, set.facts);
  const auto found = std::find_if(findings.begin(), findings.end(), [](const Finding& finding) {
    return finding.kind == FindingKind::kTurned;
  });
  ASSERT_NE(found, findings.end());
  EXPECT_EQ(found->sentence.rfind("1 of 4 images is stored turned or mirrored", 0), 0U);
}

}  // namespace
}  // namespace cubcal::test
