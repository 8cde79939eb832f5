#include "cubcal/results/result_table.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cubcal::test {
namespace {

using results::ResultCell;
using results::ResultTable;

ResultTable example_table() {
  ResultTable table{"t", "A title", {"method"}, {{"Acc %", 1, 100}, {"ΔU", 2}}, {}};
  table.rows.push_back({{"BNN, plain"}, {{{0.8, 0.9}, {{0.75, 0.95}}, 0.81}, {{0.123}, {}, {}}}});
  table.rows.push_back({{"x_y"}, {{{}, {}, {}}, {{0.5}, {}, {}}}});
  return table;
}

TEST(ResultCell, MeanAndSampleDeviation) {
  const ResultCell cell{{1, 2, 6}, {}, {}};
  EXPECT_DOUBLE_EQ(cell.mean(), 3);
  EXPECT_DOUBLE_EQ(*cell.deviation(), std::sqrt(7.0));
  EXPECT_FALSE((ResultCell{{1}, {}, {}}).deviation().has_value());
}

TEST(ResultTable, SeedsOfTablesComeTogether) {
  const ResultTable both = results::merged({example_table(), example_table()});
  EXPECT_EQ(both.rows[0].cells[0].seeds, (std::vector<double>{0.8, 0.9, 0.8, 0.9}));
  EXPECT_TRUE(both.rows[1].cells[0].empty());
  EXPECT_EQ(results::row_texts(both, both.rows[1])[3], "0.50 ± 0.00");
}

TEST(ResultTable, Markdown) {
  EXPECT_EQ(results::to_markdown(example_table()),
            "A title\n\n"
            "| method | Acc % | paper | ΔU |\n"
            "|---|---:|---:|---:|\n"
            "| BNN, plain | 85.0 ± 7.1 [75.0, 95.0] | 81.0 | 0.12 |\n"
            "| x_y | - | - | 0.50 |\n\n");
}

TEST(ResultTable, Latex) {
  EXPECT_EQ(results::to_latex(example_table()),
            "% A title\n"
            "\\begin{tabular}{lrrr}\n"
            "\\toprule\n"
            "method & Acc \\% & paper & $\\Delta$U \\\\\n"
            "\\midrule\n"
            "BNN, plain & 85.0 $\\pm$ 7.1 [75.0, 95.0] & 81.0 & 0.12 \\\\\n"
            "x\\_y & - & - & 0.50 \\\\\n"
            "\\bottomrule\n"
            "\\end{tabular}\n");
}

TEST(ResultTable, CsvHasALinePerCell) {
  EXPECT_EQ(results::to_csv(example_table()),
            "method,column,seeds,mean,sd,low,high,paper\n"
            "\"BNN, plain\",Acc %,2,85.0000,7.0711,75.0000,95.0000,81.0000\n"
            "\"BNN, plain\",ΔU,1,0.12300,,,,\n"
            "x_y,Acc %,0,,,,,\n"
            "x_y,ΔU,1,0.50000,,,,\n");
}

}  // namespace
}  // namespace cubcal::test
