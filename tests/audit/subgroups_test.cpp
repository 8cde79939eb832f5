#include "cubcal/audit/subgroups.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using Names = std::vector<std::string>;

Names names_of(const ColumnGroups& column) {
  Names names;
  for (const Subgroup& group : column.groups) names.push_back(group.value);
  return names;
}

TEST(Subgroups, ByValueWithTheMissingLast) {
  const ColumnGroups site = column_groups({"site", {"south", "", "north", "nan", "south", "NaN"}});
  EXPECT_EQ(site.grouping, Grouping::kValues);
  EXPECT_EQ(names_of(site), (Names{"north", "south", "(missing)"}));
  EXPECT_EQ(site.groups[1].members, (std::vector<std::uint32_t>{0, 4}));
  EXPECT_EQ(site.groups[2].members, (std::vector<std::uint32_t>{1, 3, 5}));
}

TEST(Subgroups, CrossedAreCombinationsThatSamplesHave) {
  const ColumnGroups sex = column_groups({"sex", {"f", "m", "f", "", "m", "f"}});
  const ColumnGroups age =
      column_groups({"age", {"70", "20", "30", "80", "40", "75"}}, {{"age", {65}}});
  const ColumnGroups both = crossed_groups({sex, age});
  EXPECT_EQ(both.column, "sex*age");
  EXPECT_EQ(both.grouping, Grouping::kCrossed);
  EXPECT_EQ(names_of(both), (Names{"f × below 65", "f × 65 and above", "m × below 65",
                                   "(missing) × 65 and above"}));
  EXPECT_EQ(both.groups[1].members, (std::vector<std::uint32_t>{0, 5}));
  EXPECT_EQ(both.groups[3].members, (std::vector<std::uint32_t>{3}));
  const ColumnGroups site = column_groups({"site", {"a", "a", "b", "a", "b", "b"}});
  EXPECT_EQ(names_of(crossed_groups({sex, age, site}))[2], "f × 65 and above × b");
}

TEST(Subgroups, TooManyCombinationsAreRefused) {
  SampleColumn first{"first", {}};
  SampleColumn second{"second", {}};
  for (int i = 0; i < 81; ++i) {
    first.values.push_back("a" + std::to_string(i % 9));
    second.values.push_back("b" + std::to_string(i / 9));
  }
  test::expect_error<DataError>(
      [&] {
        crossed_groups({column_groups(first), column_groups(second)});
      },
      "the columns 'first*second' make 81 groups, and at most 60 are compared");
}

TEST(Subgroups, FewNumbersAreValuesInTheirOrder) {
  EXPECT_EQ(names_of(column_groups({"grade", {"10", "2", "1", "2"}})), (Names{"1", "2", "10"}));
}

TEST(Subgroups, ManyNumbersAreCutIntoQuartersThatKeepEqualsTogether) {
  SampleColumn age{"age", {}};
  for (int i = 0; i < 100; ++i) age.values.push_back(i < 20 ? "" : std::to_string(i));
  const ColumnGroups quarters = column_groups(age);
  EXPECT_EQ(quarters.grouping, Grouping::kQuarters);
  EXPECT_EQ(names_of(quarters),
            (Names{"20 to 39", "40 to 59", "60 to 79", "80 to 99", "(missing)"}));
  SampleColumn lumped{"dose", {}};
  for (int i = 0; i < 80; ++i) lumped.values.push_back(i < 50 ? "0" : std::to_string(0.5 * i));
  const ColumnGroups ranges = column_groups(lumped);
  EXPECT_EQ(ranges.groups[0].value, "0 to 0");
  EXPECT_EQ(ranges.groups[0].members.size(), 50U);
  std::size_t all = 0;
  for (const Subgroup& group : ranges.groups) all += group.members.size();
  EXPECT_EQ(all, 80U);
}

TEST(Subgroups, CutsTakeTheirLowerEndIn) {
  const ColumnGroups age =
      column_groups({"age", {"39.9", "40", "64", "65", "", "90"}}, {{"age", {40, 65}}});
  EXPECT_EQ(age.grouping, Grouping::kCuts);
  EXPECT_EQ(names_of(age), (Names{"below 40", "40 to below 65", "65 and above", "(missing)"}));
  EXPECT_EQ(age.groups[0].members, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(age.groups[1].members, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(age.groups[2].members, (std::vector<std::uint32_t>{3, 5}));
}

TEST(Subgroups, RefusesWhatMakesNoGroups) {
  SampleColumn note{"note", {}};
  for (int i = 0; i < 16; ++i) note.values.push_back("text " + std::to_string(i));
  test::expect_error<DataError>([&] { column_groups(note); },
                                "the column 'note' has 16 values that are not all numbers");
  test::expect_error<DataError>(
      [] {
        column_groups({"age", {"40", "old"}}, {{"age", {40}}});
      },
      "it holds 'old'");
  test::expect_error<ArgumentError>(
      [] {
        column_groups({"age", {"40"}}, {{"age", {65, 40}}});
      },
      "must rise, but 40 follows 65");
  test::expect_error<ArgumentError>(
      [] {
        column_groups({"age", {"40"}}, {{"age", {}}});
      },
      "at no number");
}

}  // namespace
}  // namespace cubcal
