#include "cubcal/io/logits_csv.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

LogitsFile read(const std::string& text, const LogitsReading& reading = {}) {
  return read_csv_logits(parse_csv(text, "x.csv"), reading);
}

TEST(LogitsCsv, ColumnsThatAreNothingElseAreClasses) {
  LogitsReading reading;
  reading.columns = {"site"};
  const LogitsFile file = read(
      "file,label,benign,malignant,group,column_site\n"
      "a.png,malignant,-1.5,2,p1,north\n"
      "b.png,0,0.25,1e-3,p2,south\n",
      reading);
  EXPECT_EQ(file.logits.shape(), (std::vector<std::size_t>{1, 2, 2}));
  EXPECT_EQ(file.logits.as<double>()[0], -1.5);
  EXPECT_EQ(file.logits.as<double>()[3], 1e-3);
  EXPECT_EQ(file.labels, (std::vector<std::int64_t>{1, 0}));
  EXPECT_EQ(file.class_names, (std::vector<std::string>{"benign", "malignant"}));
  EXPECT_EQ(file.groups, (std::vector<std::string>{"p1", "p2"}));
  EXPECT_EQ(file.files, (std::vector<std::string>{"a.png", "b.png"}));
  EXPECT_EQ(column_values(file, "site"), (std::vector<std::string>{"north", "south"}));
}

TEST(LogitsCsv, ColumnsOfProbabilitiesComeFirst) {
  const LogitsFile file = read("sample,confidence,p a,p b\n0,0.9,0.1,0.9\n");
  EXPECT_FALSE(file.has_labels);
  EXPECT_EQ(file.class_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.logits.as<double>()[0], 0.1);
}

TEST(LogitsCsv, OneNumberForTwoClasses) {
  LogitsReading reading;
  reading.binary = true;
  const LogitsFile file = read("label,score\ntrue,0.5\nfalse,-2\n", reading);
  EXPECT_EQ(file.logits.shape(), (std::vector<std::size_t>{1, 2, 1}));
  EXPECT_EQ(file.labels, (std::vector<std::int64_t>{1, 0}));
}

TEST(LogitsCsv, TheNumbersOfRowsAreNoClass) {
  const LogitsFile file = read(",a,b,label\n0,1.5,2.5,0\n1,0.5,0.25,1\n2,1.0,3.5,1\n");
  EXPECT_EQ(file.class_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(file.logits.as<double>()[0], 1.5);
}

TEST(LogitsCsv, AColumnOfCountsAmongLogitsIsRefused) {
  const std::string rows = "61,1.5,2.5,0\n47,0.5,0.25,1\n70,1.0,3.5,1\n";
  test::expect_error<DataError>([&] { read("age,a,b,label\n" + rows); },
                                "the column 'age' of 'x.csv' would be a class, but holds whole "
                                "numbers alone and others do not");
  EXPECT_EQ(read("column_age,a,b,label\n" + rows).class_names,
            (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read("age,p a,p b,label\n" + rows).class_names, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(read("a,b\n1,2\n3,4\n5,6\n").class_names.size(), 2U) << "all may be whole";
}

TEST(LogitsCsv, SaysWhatIsWrongAndWhere) {
  const auto refused = [](const std::string& text, const std::string& words) {
    test::expect_error<DataError>([&] { read(text); }, words);
  };
  refused("label,a,b\n0,1,2\n1,x,2\n",
          "line 3 of 'x.csv' has 'x' in the column 'a', which is taken for a class");
  refused("label,a,b\n0,\"1,5\",2\n", "must hold numbers, with a point for decimals");
  refused("label,a,b\n1,1,2\n2,2,1\n",
          "has the label 2 at index 1, but the logits have classes 0 to 1; do "
          "the labels start at 1?");
  refused("label,a,b\n0,,2\n", "line 2 of 'x.csv' has ''");
  refused("label,a\n0,1\n", "1 columns of classes, but two such columns at least");
  refused("label,a,b\n", "has 0 rows");
  refused("label,a,b\n7,1,2\n", "the column 'label' of 'x.csv' has the label 7");
}

}  // namespace
}  // namespace cubcal
