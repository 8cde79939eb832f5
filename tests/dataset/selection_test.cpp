#include "cubcal/dataset/selection.h"

#include <gtest/gtest.h>

#include "dataset/set_fixtures.h"

namespace cubcal::test {
namespace {

/// Three classes of two sources, and an outlier.
Catalog small_set() {
  Catalog catalog;
  catalog.path = "set";
  catalog.class_names = {"a", "b", "c"};
  catalog.columns = {"source", "age"};
  catalog.samples = {
      {"1", 0, "a", "p1", "train", {"x", "1"}}, {"2", 0, "a", "p2", "val", {"y", "2"}},
      {"3", 1, "b", "p3", "train", {"x", "3"}}, {"4", 1, "b", "p4", "test", {"x", ""}},
      {"5", 2, "c", "p5", "train", {"y", "5"}}, {"6", -1, "d", "p6", "ood", {"y", "6"}}};
  return catalog;
}

Catalog where(const std::vector<std::string>& filters) {
  Selection selection;
  for (const std::string& filter : filters) selection.where.push_back(parse_row_filter(filter));
  return select(small_set(), selection);
}

std::string complaint(const Selection& selection) {
  return message_of<ArgumentError>([&] { select(small_set(), selection); });
}

TEST(Selection, OfNothingChangesNothing) {
  EXPECT_EQ(files_of(select(small_set(), {})), files_of(small_set()));
}

TEST(Selection, ChoosesRowsByMetadata) {
  const Catalog catalog = where({"source=x"});
  EXPECT_EQ(files_of(catalog), (Names{"1", "3", "4"}));
  EXPECT_EQ(catalog.class_names, (Names{"a", "b"}));  // c is nowhere in x
  EXPECT_EQ(files_of(where({"source!=x"})), (Names{"2", "5", "6"}));
}

TEST(Selection, ChoosesRowsBySeveralColumns) {
  EXPECT_EQ(files_of(where({"age=1,2,3,5", "split=train"})), (Names{"1", "3", "5"}));
  EXPECT_EQ(files_of(where({"label_name != a, d"})), (Names{"3", "4", "5"}));
  EXPECT_EQ(files_of(where({"group=p1,p3"})), (Names{"1", "3"}));
  EXPECT_EQ(files_of(where({"age!="})), (Names{"1", "2", "3", "5", "6"}));
}

TEST(Selection, NumbersTheClassesThatStay) {
  const Catalog catalog = where({"label_name=b,c"});
  EXPECT_EQ(catalog.class_names, (Names{"b", "c"}));
  EXPECT_EQ(catalog.samples[0].label, 0);
  EXPECT_EQ(catalog.samples[2].label, 1);
}

TEST(Selection, HoldsClassesOutAsOutliers) {
  const Catalog catalog = select(small_set(), {{}, {"a"}, {}});
  EXPECT_EQ(catalog.class_names, (Names{"b", "c"}));
  EXPECT_EQ(catalog.samples[0].label, kNoLabel);
  EXPECT_EQ(catalog.samples[0].label_name, "a");
  EXPECT_EQ(catalog.samples[0].split, kOutlierSplit);
  EXPECT_EQ(catalog.samples[2].label, 0);
  EXPECT_EQ(catalog.samples[2].split, "train");
  EXPECT_EQ(catalog.samples[5].label_name, "d");
}

TEST(Selection, DropsClasses) {
  const Catalog catalog = select(small_set(), {{}, {}, {"b"}});
  EXPECT_EQ(files_of(catalog), (Names{"1", "2", "5", "6"}));
  EXPECT_EQ(catalog.class_names, (Names{"a", "c"}));
  EXPECT_EQ(catalog.samples[2].label, 1);
}

TEST(Selection, SaysWhatDoesNotOccur) {
  EXPECT_EQ(message_of<ArgumentError>([] { where({"site=x"}); }),
            "'set' has no column 'site' to choose rows by; it has 'label_name', 'group', 'split', "
            "'source', 'age'");
  EXPECT_EQ(message_of<ArgumentError>([] { where({"source=z"}); }),
            "no sample of 'set' has source = 'z'; it is one of 'x', 'y'");
  EXPECT_EQ(complaint({{}, {"e"}, {}}), "'set' has no class 'e'; its classes are 'a', 'b', 'c'");
  EXPECT_EQ(complaint({{}, {}, {"d"}}), "'set' has no class 'd'; its classes are 'a', 'b', 'c'");
  EXPECT_EQ(complaint({{}, {"a"}, {"a"}}), "the class 'a' cannot be both held out and dropped");
  EXPECT_EQ(message_of<ArgumentError>([] {
              where({"source=x", "split=val"});
            }),
            "no sample of 'set' is left by this choice of rows");
  EXPECT_EQ(complaint({{}, {"a"}, {"b"}}),
            "this choice of rows leaves only the class 'c' of 'set', but at least two are needed");
  EXPECT_EQ(message_of<ArgumentError>([] { where({"split=ood"}); }),
            "this choice of rows leaves no class of 'set', but at least two are needed");
}

TEST(Selection, WorksWithoutClasses) {
  Catalog catalog;
  catalog.path = "scans";
  catalog.kind = CatalogKind::kImages;
  catalog.columns = {"bits"};
  catalog.samples = {{"1", -1, "", "", "", {"8"}}, {"2", -1, "", "", "", {"16"}}};
  EXPECT_EQ(files_of(select(catalog, {{parse_row_filter("bits=16")}, {}, {}})), (Names{"2"}));
  EXPECT_EQ(message_of<ArgumentError>([&] {
              select(catalog, {{}, {"a"}, {}});
            }),
            "'scans' has no class 'a'");
}

TEST(Selection, ParsesFilters) {
  const RowFilter filter = parse_row_filter(" etiology = viral, bacterial ");
  EXPECT_EQ(filter.column, "etiology");
  EXPECT_EQ(filter.values, (Names{"viral", "bacterial"}));
  EXPECT_FALSE(filter.negated);
  EXPECT_TRUE(parse_row_filter("source!=nih").negated);
  EXPECT_EQ(parse_row_filter("source!=nih").column, "source");
  EXPECT_EQ(parse_row_filter("note=a=b").values, (Names{"a=b"}));
  for (const char* text : {"source", "", "=x", "!=x"}) {
    EXPECT_EQ(message_of<ArgumentError>([&] { parse_row_filter(text); }),
              std::string("the filter '") + text +
                  "' is not of the form column=value, column=value,value or column!=value");
  }
}

}  // namespace
}  // namespace cubcal::test
