#include "cubcal/inspection/association.h"

#include <gtest/gtest.h>

#include "inspection/fake_set.h"

namespace cubcal::test {
namespace {

Association table(std::vector<std::string> rows, std::vector<std::string> values,
                  std::vector<std::size_t> counts) {
  Association association;
  association.column = "source";
  association.rows = std::move(rows);
  association.values = std::move(values);
  association.counts = std::move(counts);
  evaluate(association);
  return association;
}

TEST(Association, IndependenceTellsNothing) {
  const Association found = table({"a", "b"}, {"x", "y"}, {300, 100, 600, 200});
  EXPECT_NEAR(found.row_from_value, 0, 1e-3);
  EXPECT_NEAR(found.value_from_row, 0, 1e-3);
  EXPECT_FALSE(found.is_telling());
}

TEST(Association, ADeterminedClassIsToldEntirely) {
  const Association found = table({"a", "b"}, {"x", "y", "z"}, {500, 0, 0, 0, 300, 200});
  EXPECT_NEAR(found.row_from_value, 1, 0.005);
  EXPECT_LT(found.value_from_row, 0.7);  // b may be y or z
  EXPECT_TRUE(found.is_telling());
}

TEST(Association, IsTellingInEitherDirection) {
  // 6% of b are x and nothing else is: x tells b, but the class as a whole is hardly told.
  const Association found = table({"a", "b"}, {"x", "y"}, {0, 4000, 120, 1880});
  EXPECT_LT(found.row_from_value, kTellingCoefficient);
  EXPECT_GT(found.value_from_row, kTellingCoefficient);
  EXPECT_TRUE(found.is_telling());
}

TEST(Association, AHandfulOfImagesProvesNothing) {
  const Association found = table({"a", "b"}, {"y", "x"}, {2000, 0, 50, 4});
  EXPECT_EQ(found.row_from_value, 0);
  EXPECT_EQ(found.value_from_row, 0);
  EXPECT_TRUE(found.rule.values.empty());
}

TEST(Association, FindsTheRuleAndSaysItInWords) {
  const Association found =
      table({"Pneumonia", "COVID-19", "Control"}, {"kermany", "ieee8023", "nih", "actualmed"},
            {4273, 187, 0, 0, 0, 471, 0, 26, 1583, 0, 258, 0});
  EXPECT_TRUE(found.is_telling());
  EXPECT_EQ(found.rule.row, 1U);
  EXPECT_EQ(found.rule.values, (std::vector<std::size_t>{1, 3}));
  EXPECT_EQ(found.rule.recall, 1);
  EXPECT_NEAR(found.rule.precision, 497.0 / 684.0, 1e-12);
  EXPECT_EQ(describe_rule(found),
            "every COVID-19 image has source = ieee8023 or actualmed, which no Control image has; "
            "guessing COVID-19 from that alone is right in 73% of cases");
}

std::vector<std::string> columns_of(const std::vector<Association>& tables) {
  std::vector<std::string> names;
  for (const Association& found : tables) {
    names.push_back(found.column + (found.of_outliers ? " of outliers" : ""));
  }
  return names;
}

TEST(Associations, TakeColumnsOfFewValuesAndWhatImagesShow) {
  FakeSet set({"a", "b"});
  set.catalog.columns = {"site", "name", "constant"};
  for (int i = 0; i < 100; ++i) {
    ImageFacts& image = set.add(i % 2, "train", "",
                                {i % 2 == 0 ? "north" : "south", "n" + std::to_string(i), "same"});
    if (i % 2 == 0) image.width = 128;
    if (i == 3) image.unreadable = "damaged";
  }
  const std::vector<Association> tables = associations(set.catalog, set.facts);
  EXPECT_EQ(columns_of(tables), (std::vector<std::string>{"site", "image size"}));
  EXPECT_FALSE(tables[0].is_derived);
  EXPECT_TRUE(tables[1].is_derived);
  EXPECT_EQ(tables[1].values, (std::vector<std::string>{"128 x 100", "100 x 100"}));
  EXPECT_EQ(tables[1].count(1, 1), 49U);  // the unreadable one has no size
}

TEST(Associations, CutNumbersAtTheirQuartiles) {
  FakeSet set({"a", "b"});
  set.catalog.columns = {"age"};
  for (int i = 0; i < 100; ++i) set.add(i < 50 ? 0 : 1, "", "", {std::to_string(i)});
  const std::vector<Association> tables = associations(set.catalog, set.facts);
  ASSERT_EQ(tables.size(), 1U);
  EXPECT_EQ(tables[0].values.size(), 4U);
  EXPECT_TRUE(tables[0].is_telling());
  EXPECT_EQ(tables[0].rule.precision, 1);
}

TEST(Associations, OfOutliersAreApart) {
  FakeSet set({"a", "b"});
  set.catalog.columns = {"site"};
  for (int i = 0; i < 60; ++i) set.add(i % 2, "train", "", {i % 4 < 2 ? "x" : "y"});
  for (int i = 0; i < 20; ++i) set.add(kNoLabel, kOutlierSplit, "", {"z"});
  const std::vector<Association> tables = associations(set.catalog, set.facts);
  ASSERT_EQ(columns_of(tables), (std::vector<std::string>{"site", "site of outliers"}));
  EXPECT_FALSE(tables[0].is_telling());
  EXPECT_EQ(tables[0].values.size(), 2U);
  EXPECT_TRUE(tables[1].is_telling());
  EXPECT_EQ(tables[1].rows, (std::vector<std::string>{"in distribution", "ood"}));
  EXPECT_EQ(describe_rule(tables[1]),
            "every ood image has site = z, which no in distribution image has; guessing ood from "
            "that alone is right in 100% of cases");
}

}  // namespace
}  // namespace cubcal::test
