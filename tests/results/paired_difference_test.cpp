#include "cubcal/results/paired_difference.h"

#include <gtest/gtest.h>

#include "results/example_record.h"

namespace cubcal::results {
namespace {

using test::example_record;

ResultRecord measured(const std::string& method, std::uint64_t seed, double avu, double nll) {
  ResultRecord record = example_record("full", method, seed, 0.8);
  record.test.metrics["avu"] = {avu, {}};
  record.test.metrics["nll"] = {nll, {}};
  record.post_hoc = {{"ts-nll", 2.0, 2.0, record.test.metrics, {}}};
  record.post_hoc[0].metrics["nll"] = {nll - 0.2, {}};
  return record;
}

TEST(DifferenceTable, PairsEachRunWithThePlainNetworkOfItsSeed) {
  const std::vector<ResultRecord> records = {
      measured("bnn", 3, 0.70, 1.0),     measured("bnn", 1, 0.60, 1.2),
      measured("bnn", 2, 0.50, 1.4),     measured("bnn+cub", 1, 0.61, 1.3),
      measured("bnn+cub", 2, 0.52, 1.4), measured("bnn+cub", 3, 0.73, 0.9)};
  const std::optional<ResultTable> table = difference_table(Grid(records));
  ASSERT_TRUE(table.has_value());
  EXPECT_EQ(table->key, "eyes-difference");
  std::vector<std::string> names;
  for (const ResultRow& row : table->rows) names.push_back(row.names[0]);
  EXPECT_EQ(names,
            (std::vector<std::string>{"BNN and ts-nll", "BNN + CUB", "BNN + CUB and ts-nll"}));
  // 0.01, 0.02 and 0.03: the mean's interval reaches 4.302653 x 0.01 / sqrt(3) to both sides.
  const std::vector<std::string> cub = row_texts(*table, table->rows[1]);
  EXPECT_EQ(cub[1], "+0.020 ± 0.010 [-0.005, +0.045]");
  EXPECT_EQ(cub[2], "0.000 ± 0.100 [-0.248, +0.248]") << "a zero has no sign";
  EXPECT_EQ(cub[3], "-") << "no record has an ECE";
  EXPECT_EQ(row_texts(*table, table->rows[2])[2], "-0.200 ± 0.100 [-0.448, +0.048]")
      << "a calibrated network is compared with the plain one as it is";
}

TEST(DifferenceTable, OnlySeedsThatBothHaveCount) {
  const std::vector<ResultRecord> records = {measured("bnn", 1, 0.6, 1), measured("bnn", 2, 0.6, 1),
                                             measured("bnn+cub", 2, 0.7, 1),
                                             measured("bnn+cub", 3, 0.9, 1)};
  const std::optional<ResultTable> table = difference_table(Grid(records));
  ASSERT_TRUE(table.has_value());
  const ResultRow& row = table->rows[1];
  EXPECT_EQ(row_texts(*table, row)[0], "BNN + CUB, 1 seed");
  EXPECT_EQ(row_texts(*table, row)[1], "+0.100") << "one seed has no interval";
}

TEST(DifferenceTable, NeedsAPlainNetworkAndAnotherOfItsSeed) {
  EXPECT_FALSE(difference_table(Grid({measured("bnn+cub", 1, 0.7, 1)})).has_value());
  EXPECT_FALSE(difference_table(Grid({measured("bnn", 1, 0.7, 1)})).has_value());
  const std::vector<ResultRecord> apart = {measured("bnn", 1, 0.7, 1),
                                           measured("bnn+cub", 2, 0.7, 1)};
  EXPECT_FALSE(difference_table(Grid(apart)).has_value());
}

}  // namespace
}  // namespace cubcal::results
