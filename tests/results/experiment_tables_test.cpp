#include "cubcal/results/experiment_tables.h"

#include <gtest/gtest.h>

#include "results/example_record.h"

namespace cubcal::test {
namespace {

using results::experiment_tables;
using results::ResultRecord;
using results::ResultTable;

const ResultTable& table_named(const std::vector<ResultTable>& tables, const std::string& key) {
  for (const ResultTable& table : tables) {
    if (table.key == key) return table;
  }
  throw std::runtime_error("no table " + key);
}

std::vector<ResultRecord> retina_records() {
  return {example_record("balanced", "bnn", 1, 0.7), example_record("balanced", "bnn+cub", 1, 0.8),
          example_record("25%", "bnn", 1, 0.5),      example_record("25%", "bnn+cub", 1, 0.6),
          example_record("full", "bnn", 1, 0.7),     example_record("full", "bnn+cub", 1, 0.8),
          example_record("full", "bnn", 2, 0.8),     example_record("full", "bnn+cub", 2, 0.9),
          example_record("full", "zz", 1, 0.4)};
}

TEST(ExperimentTables, RegimesStandAsInThePaper) {
  const ResultTable table = table_named(experiment_tables(retina_records()), "eyes-regimes");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0].names[0], "Reduced train/val (25%)");
  EXPECT_EQ(table.rows[1].names[0], "Full dataset");
  EXPECT_EQ(table.rows[2].names[0], "Balanced (train/val)");
  ASSERT_EQ(table.columns.size(), 4U);
  EXPECT_EQ(table.columns[0].header, "BNN: Acc %");
  EXPECT_EQ(table.columns[2].header, "BNN + CUB: Acc %");
  EXPECT_EQ(table.rows[1].cells[2].paper, 0.81);
  EXPECT_EQ(table.rows[0].cells[1].paper, 0.68);
  EXPECT_EQ(table.rows[1].cells[0].seeds, (std::vector<double>{0.7, 0.8}));
}

TEST(ExperimentTables, FewerSeedsThanElsewhereAreTold) {
  const std::vector<ResultTable> tables = experiment_tables(retina_records());
  const ResultTable& regimes = table_named(tables, "eyes-regimes");
  EXPECT_EQ(regimes.rows[0].note, "1 seed");
  EXPECT_EQ(regimes.rows[1].note, "");
  const ResultTable& post_hoc = table_named(tables, "eyes-post-hoc");
  EXPECT_EQ(post_hoc.rows.front().note, "1 seed");
  EXPECT_EQ(post_hoc.rows[2].note, "") << "the whole data";
}

TEST(ExperimentTables, DifferentNumbersOfSeedsInARowAreBothTold) {
  std::vector<ResultRecord> records = retina_records();
  records.push_back(example_record("25%", "bnn", 2, 0.5));
  const std::vector<ResultTable> tables = experiment_tables(records);
  EXPECT_EQ(table_named(tables, "eyes-regimes").rows[0].note, "1 and 2 seeds");
}

TEST(ExperimentTables, IntervalsAreTheMeanOfTheSeedsBounds) {
  const ResultTable table = table_named(experiment_tables(retina_records()), "eyes-training");
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0].names[0], "BNN");
  EXPECT_EQ(table.rows[1].names[0], "BNN + CUB");
  EXPECT_EQ(table.rows[2].names[0], "zz");
  EXPECT_EQ(table.rows[2].note, "1 seed");
  EXPECT_EQ(table.rows[1].note, "");
  EXPECT_NEAR(table.rows[0].cells[0].interval->first, 0.73, 1e-12);
  EXPECT_NEAR(table.rows[0].cells[0].interval->second, 0.79, 1e-12);
  EXPECT_FALSE(table.rows[0].cells[1].interval.has_value());
  EXPECT_TRUE(table.rows[0].cells[2].empty());  // no record has delta_u
}

TEST(ExperimentTables, CalibrationsByRegime) {
  const ResultTable table = table_named(experiment_tables(retina_records()), "eyes-post-hoc");
  ASSERT_EQ(table.rows.size(), 6U);
  EXPECT_EQ(table.rows[2].names, (std::vector<std::string>{"Full dataset", "none"}));
  EXPECT_EQ(table.rows[3].names, (std::vector<std::string>{"Full dataset", "dts"}));
  EXPECT_EQ(table.rows[3].cells[3].paper, 0.0722);
}

TEST(ExperimentTables, WithoutOutliersThereAreNoTablesOfThem) {
  for (const ResultTable& table : experiment_tables(retina_records())) {
    EXPECT_EQ(table.key.find("ood"), std::string::npos);
  }
}

TEST(ExperimentTables, OutliersByKindAndByMethod) {
  std::vector<ResultRecord> records;
  for (const char* method : {"bnn", "bnn+cub"}) {
    ResultRecord record = example_record("full", method, 1, 0.8);
    record.paper = "chest";
    record.detectors.push_back(
        {"uncertainty", "Uncertainty", {{0.7, {}}, {}, {}}, {{"nih", {}, {{0.6, {}}, {}, {}}}}});
    records.push_back(record);
  }
  const std::vector<ResultTable> tables = experiment_tables(records);
  const ResultTable& own = table_named(tables, "eyes-ood");
  ASSERT_EQ(own.rows.size(), 1U);
  EXPECT_EQ(own.rows[0].cells[0].paper, 0.711);
  EXPECT_EQ(own.columns.back().header, "AUROC %, nih");
  EXPECT_EQ(own.rows[0].cells.back().seeds, std::vector<double>{0.6});
  const ResultTable& all = table_named(tables, "eyes-ood-methods");
  ASSERT_EQ(all.rows.size(), 2U);
  EXPECT_EQ(all.rows[1].names, (std::vector<std::string>{"nih", "Uncertainty"}));
  EXPECT_EQ(all.columns[1].header, "BNN + CUB");
  const ResultTable& price = table_named(tables, "eyes-price");
  EXPECT_EQ(price.columns[price.columns.size() - 2].header, "OOD AUROC of U %");
}

TEST(ExperimentTables, TheDocumentNamesItsCommandAndSeeds) {
  const std::string page = results::results_markdown(retina_records(), "cubcal results x");
  EXPECT_NE(page.find("Made by `cubcal results x`"), std::string::npos);
  EXPECT_NE(page.find("## eyes\n\n9 runs, 2 seeds, trained on CPU."), std::string::npos) << page;
}

}  // namespace
}  // namespace cubcal::test
