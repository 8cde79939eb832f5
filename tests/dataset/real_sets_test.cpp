// The real sets, by their path alone, against the tables of their README.

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "cubcal/dataset/sample_reader.h"
#include "cubcal/dataset/selection.h"
#include "cubcal/dataset/splitting.h"
#include "dataset/set_fixtures.h"

namespace cubcal::test {
namespace {

class RealSets : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(CUBCAL_SHARED_DIR "/data")) GTEST_SKIP() << "no real data here";
  }

  static Catalog open(const std::string& name) {
    return open_catalog(CUBCAL_SHARED_DIR "/data/" + name);
  }
};

/// Rows of a README's table: a name, then the counts of train, val and test.
using Counts = std::map<std::string, std::array<std::size_t, 3>>;

void expect_counts(const Catalog& catalog, const Counts& expected) {
  ASSERT_EQ(catalog.classes(), expected.size());
  for (const auto& [name, counts] : expected) {
    EXPECT_EQ(count_of(catalog, name, "train"), counts[0]) << name;
    EXPECT_EQ(count_of(catalog, name, "val"), counts[1]) << name;
    EXPECT_EQ(count_of(catalog, name, "test"), counts[2]) << name;
  }
}

TEST_F(RealSets, Aptos) {
  const Catalog catalog = open("aptos");
  EXPECT_EQ(catalog.kind, CatalogKind::kManifest);
  EXPECT_EQ(catalog.class_names, (Names{"No_DR", "Mild", "Moderate", "Severe", "Proliferative"}));
  EXPECT_EQ(catalog.samples.size(), 3662u);
  expect_counts(catalog, {{"No_DR", {1444, 180, 181}},
                          {"Mild", {296, 37, 37}},
                          {"Moderate", {799, 100, 100}},
                          {"Severe", {155, 19, 19}},
                          {"Proliferative", {235, 30, 30}}});
  EXPECT_EQ(catalog.split_names(), (Names{"train", "val", "test"}));
}

TEST_F(RealSets, Ham10000) {
  const Catalog catalog = open("ham10000");
  EXPECT_EQ(catalog.class_names, (Names{"nv", "bkl", "mel", "bcc", "akiec", "vasc", "df"}));
  EXPECT_EQ(catalog.samples.size(), 7470u);
  expect_counts(catalog, {{"nv", {4322, 540, 541}},
                          {"bkl", {581, 72, 74}},
                          {"mel", {491, 61, 62}},
                          {"bcc", {261, 32, 34}},
                          {"akiec", {182, 22, 24}},
                          {"vasc", {78, 9, 11}},
                          {"df", {58, 7, 8}}});
  EXPECT_TRUE(catalog.has_groups());
}

TEST_F(RealSets, Chest) {
  const Catalog catalog = open("chest");
  EXPECT_EQ(catalog.class_names, (Names{"Pneumonia", "COVID-19", "Control"}));
  EXPECT_EQ(catalog.columns, (Names{"etiology", "source"}));
  EXPECT_EQ(catalog.samples.size(), 7309u);
  expect_counts(catalog, {{"Pneumonia", {3121, 670, 669}},
                          {"COVID-19", {348, 75, 74}},
                          {"Control", {1288, 277, 276}}});
  std::map<std::string, std::size_t> counts;
  std::map<std::string, std::set<std::string>> groups;
  for (const Sample& sample : catalog.samples) {
    EXPECT_EQ(sample.label == kNoLabel, sample.split == kOutlierSplit);
    ++counts[sample.label_name + ", " + sample.metadata[1] + ", " + sample.metadata[0] + ", " +
             sample.split];
    groups[sample.split].insert(sample.group);
  }
  const Counts expected = {{"Pneumonia, ieee8023, bacterial", {36, 8, 7}},
                           {"Pneumonia, ieee8023, fungal", {17, 4, 4}},
                           {"Pneumonia, ieee8023, other", {51, 11, 11}},
                           {"Pneumonia, ieee8023, viral", {26, 6, 6}},
                           {"Pneumonia, kermany, bacterial", {1946, 417, 417}},
                           {"Pneumonia, kermany, viral", {1045, 224, 224}},
                           {"COVID-19, actualmed, covid19", {18, 4, 4}},
                           {"COVID-19, ieee8023, covid19", {330, 71, 70}},
                           {"Control, kermany, none", {1108, 238, 237}},
                           {"Control, nih, none", {180, 39, 39}}};
  for (const auto& [name, of_splits] : expected) {
    EXPECT_EQ(counts[name + ", train"], of_splits[0]) << name;
    EXPECT_EQ(counts[name + ", val"], of_splits[1]) << name;
    EXPECT_EQ(counts[name + ", test"], of_splits[2]) << name;
  }
  EXPECT_EQ(counts["Tuberculosis, ieee8023, bacterial, ood"], 11u);
  EXPECT_EQ(counts["abnormal, nih, other, ood"], 500u);
  EXPECT_EQ(counts.size(), 32u);  // and nothing else
  EXPECT_EQ(groups["train"].size(), 3028u);
  EXPECT_EQ(groups["val"].size(), 598u);
  EXPECT_EQ(groups["test"].size(), 684u);
  EXPECT_EQ(groups["ood"].size(), 143u);
}

TEST_F(RealSets, ChestByChoiceOfRows) {
  const Catalog whole = open("chest");
  const Catalog kermany = select(whole, {{parse_row_filter("source=kermany")}, {}, {}});
  EXPECT_EQ(kermany.class_names, (Names{"Pneumonia", "Control"}));
  EXPECT_EQ(kermany.samples.size(), 5856u);
  const Catalog held_out = select(whole, {{}, {"COVID-19"}, {}});
  EXPECT_EQ(held_out.class_names, (Names{"Pneumonia", "Control"}));
  EXPECT_EQ(count_of(held_out, "COVID-19", "ood"), 497u);
  EXPECT_EQ(held_out.samples.size(), whole.samples.size());
}

TEST_F(RealSets, ChestDealtOutAnewHasNoLeak) {
  SplitOptions options;
  options.stratify_by = {"source", "etiology"};
  const Catalog catalog = split_catalog(open("chest"), options);
  std::map<std::string, std::string> split_of;
  for (const Sample& sample : catalog.samples) {
    if (sample.label == kNoLabel) continue;
    EXPECT_EQ(split_of.emplace(sample.group, sample.split).first->second, sample.split);
  }
  EXPECT_NEAR(static_cast<double>(count_of(catalog, "Pneumonia", "train")), 0.7 * 4460, 3);
  EXPECT_NEAR(static_cast<double>(count_of(catalog, "COVID-19", "val")), 0.15 * 497, 3);
  EXPECT_NEAR(static_cast<double>(count_of(catalog, "Control", "test")), 0.15 * 1841, 3);
  EXPECT_EQ(count_of(catalog, "abnormal", "ood"), 500u);
}

TEST_F(RealSets, Formats) {
  const Catalog catalog = open("formats");
  EXPECT_EQ(catalog.kind, CatalogKind::kImages);
  EXPECT_EQ(catalog.samples.size(), 12u);
  EXPECT_EQ(catalog.columns, (Names{"format", "width", "height", "channels", "bits", "expect",
                                    "note", "dicom_photometric", "dicom_window"}));
  EXPECT_EQ(open("formats/images").kind, CatalogKind::kImages);
  const Catalog scan = open("formats/anon_apct.dcm");
  ASSERT_EQ(scan.samples.size(), 1u);
  EXPECT_NE(scan.samples[0].group, "");  // the patient, by a pseudonym
}

TEST_F(RealSets, PneumoniaMnist) {
  const Catalog catalog = open("formats/pneumoniamnist.npz");
  EXPECT_EQ(catalog.kind, CatalogKind::kNpz);
  EXPECT_EQ(count_of(catalog, "0", "test"), 234u);
  EXPECT_EQ(count_of(catalog, "1", "test"), 234u);
  EXPECT_EQ(catalog.samples.size(), 2428u + 270 + 468);
  const Image image = SampleReader(catalog).read(3000);
  EXPECT_EQ(image.height, 28u);
  EXPECT_EQ(image.channels, 1u);
}

}  // namespace
}  // namespace cubcal::test
