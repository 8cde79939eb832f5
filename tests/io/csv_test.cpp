#include "cubcal/io/csv.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cubcal/core/error.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::message_of;
using test::TemporaryFolder;

using Row = std::vector<std::string>;

std::string csv_refusal(const std::string& text, const CsvOptions& options = {}) {
  return message_of<DataError>([&] { parse_csv(text, "x.csv", options); });
}

TEST(NoFormula, gets_an_apostrophe_in_front) {
  for (const char* text : {"=1+1", "+1", "-1", "@SUM(A1)", "\t=1"}) {
    EXPECT_EQ(no_formula(text), std::string("'") + text);
  }
  for (const char* text : {"", "a=b", "1", "BNN + CUB"}) EXPECT_EQ(no_formula(text), text);
}

TEST(Csv, reads_plain_rows_with_either_line_end) {
  for (const char* text : {"a,b\n1,2\n,\n", "a,b\r\n1,2\r\n,\r\n", "a,b\n1,2\n,",
                           "\xEF\xBB\xBF"
                           "a,b\n1,2\n,\n"}) {
    const CsvTable table = parse_csv(text, "x.csv");
    EXPECT_EQ(table.header, (Row{"a", "b"}));
    EXPECT_EQ(table.rows, (std::vector<Row>{{"1", "2"}, {"", ""}}));
    EXPECT_EQ(table.lines, (std::vector<std::size_t>{2, 3}));
  }
}

TEST(Csv, reads_quoted_fields_and_counts_their_lines) {
  const CsvTable table =
      parse_csv("name,note\n\"x, y\",\"he said \"\"hi\"\"\"\n\"two\r\nlines\",\"\"\nlast,z\n", "x");
  EXPECT_EQ(table.rows,
            (std::vector<Row>{{"x, y", "he said \"hi\""}, {"two\r\nlines", ""}, {"last", "z"}}));
  EXPECT_EQ(table.lines, (std::vector<std::size_t>{2, 3, 5}));
}

TEST(Csv, blank_lines_are_rows_only_in_a_table_of_one_column) {
  EXPECT_EQ(parse_csv("\na,b\n\n1,2\n\n", "x").rows, (std::vector<Row>{{"1", "2"}}));
  EXPECT_EQ(parse_csv("a\n1\n\n2\n", "x").rows, (std::vector<Row>{{"1"}, {""}, {"2"}}));
  EXPECT_TRUE(parse_csv("a,b", "x").rows.empty());
}

TEST(Csv, names_line_and_counts_of_a_ragged_row) {
  EXPECT_EQ(csv_refusal("a,b\n1,2\n\"x\n\",2,3\n"),
            "line 3 of 'x.csv' has 3 fields, but the header has 2");
  EXPECT_EQ(csv_refusal("a,b\n1\n"), "line 2 of 'x.csv' has 1 fields, but the header has 2");
}

TEST(Csv, names_the_line_of_damaged_text) {
  EXPECT_EQ(csv_refusal(""), "'x.csv' is empty, but a header row is expected");
  EXPECT_EQ(csv_refusal("a,b\n1,\"2\n3,4\n"),
            "line 2 of 'x.csv' opens a quote that is never closed");
  EXPECT_EQ(csv_refusal("a,b\n1,\"2\"3\n"), "line 2 of 'x.csv' has text after a closing quote");
  EXPECT_EQ(csv_refusal("a,b\n1,2\"3\"\n"),
            "line 2 of 'x.csv' has a quote inside a field that does not start with one");
  EXPECT_EQ(csv_refusal("a,b\r1,2\n"),
            "line 1 of 'x.csv' has a carriage return without a line feed");
  EXPECT_EQ(csv_refusal("a,b\n1,\xE9\n"), "line 2 of 'x.csv' is not UTF-8");
  EXPECT_EQ(csv_refusal(std::string("a,b\n1,\0\n", 8)), "line 2 of 'x.csv' has a NUL character");
  EXPECT_EQ(csv_refusal("a,b,a\n"), "the header of 'x.csv' has two columns named 'a'");
}

TEST(Csv, sizes_are_bounded) {
  CsvOptions options;
  options.max_field_bytes = 4;
  EXPECT_EQ(csv_refusal("a\n12345\n", options),
            "line 2 of 'x.csv' has a field longer than 4 bytes");
  options.max_columns = 2;
  EXPECT_EQ(csv_refusal("a,b,c\n", options), "line 1 of 'x.csv' has more than 2 fields");
  const TemporaryFolder folder;
  write_file_atomically(folder.file("x.csv"), "a,b\n1,2\n");
  options.max_bytes = 7;
  EXPECT_EQ(message_of<DataError>([&] { read_csv(folder.file("x.csv"), options); }),
            "'" + folder.file("x.csv") + "' holds more than the 7 bytes accepted here");
}

TEST(Csv, finds_columns_by_name) {
  const CsvTable table = parse_csv("file,label\n", "x.csv");
  EXPECT_EQ(table.column("label"), 1U);
  EXPECT_TRUE(table.has_column("file"));
  EXPECT_FALSE(table.has_column("group"));
  EXPECT_EQ(message_of<DataError>([&] { table.column("group"); }),
            "'x.csv' has no column 'group'; it has 'file', 'label'");
}

TEST(Csv, quotes_only_where_needed) {
  EXPECT_EQ(csv_row({"a", "b c", "", "1.5"}), "a,b c,,1.5\n");
  EXPECT_EQ(csv_row({"a,b", "say \"hi\"", "two\nlines"}),
            "\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\"\n");
  EXPECT_EQ(csv_row({""}), "\"\"\n");
}

TEST(Csv, round_trips) {
  const TemporaryFolder folder;
  CsvTable table;
  table.header = {
      "\xEF\xBB\xBF"
      "odd",
      "b,c"};
  table.rows = {{"\"", "\r\n"}, {"", "肺炎"}};
  write_csv(folder.file("x.csv"), table);
  const CsvTable back = read_csv(folder.file("x.csv"));
  EXPECT_EQ(back.header, table.header);
  EXPECT_EQ(back.rows, table.rows);
  table.rows.push_back({"short"});
  EXPECT_THROW(write_csv(folder.file("x.csv"), table), ArgumentError);
  EXPECT_EQ(read_csv(folder.file("x.csv")).rows.size(), 2U);
}

}  // namespace
}  // namespace cubcal
