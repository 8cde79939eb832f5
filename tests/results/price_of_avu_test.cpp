#include "cubcal/results/price_of_avu.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

#include "results/example_record.h"

namespace cubcal::results {
namespace {

using test::example_record;

void scale(ResultRecord& record, const std::vector<std::pair<double, double>>& avu_by_temperature) {
  for (const auto& [temperature, avu] : avu_by_temperature) {
    ScaledResult scaled{temperature, {}};
    scaled.metrics["accuracy"] = {0.8, {}};
    scaled.metrics["avu"] = {avu, {}};
    scaled.metrics["nll"] = {1 / temperature, {}};
    record.scaled.push_back(scaled);
  }
}

ResultRecord run_of(const std::string& method, std::uint64_t seed, double avu) {
  ResultRecord record = example_record("full", method, seed, 0.8);
  record.test.metrics["avu"] = {avu, {}};
  record.test.metrics["nll"] = {1.0, {}};
  return record;
}

const std::vector<std::pair<double, double>> kAvus = {
    {1.5, 0.6}, {1, 0.7}, {0.65, 0.78}, {0.5, 0.85}};

TEST(PriceTable, StandsBesideThatOfSharpening) {
  std::vector<ResultRecord> records = {run_of("bnn", 1, 0.7), run_of("bnn+cub", 1, 0.8)};
  scale(records[0], kAvus);
  const ResultTable table = price_table(Grid(records));
  ASSERT_EQ(table.rows.size(), 3U);
  const ResultRow& sharpened = table.rows.back();
  EXPECT_EQ(sharpened.names[0], "BNN, logits / 0.65");
  EXPECT_EQ(sharpened.note, "");
  ASSERT_EQ(sharpened.cells.size(), table.columns.size());
  EXPECT_EQ(sharpened.cells[2].seeds, std::vector<double>{0.78});
  EXPECT_TRUE(sharpened.cells[1].empty()) << "no record has a balanced accuracy";
}

TEST(PriceTable, NothingIsSharpenedWhereAvuIsNotBetter) {
  std::vector<ResultRecord> records = {run_of("bnn", 1, 0.7), run_of("bnn+cub", 1, 0.69)};
  scale(records[0], kAvus);
  EXPECT_EQ(price_table(Grid(records)).rows.size(), 2U);
}

TEST(PriceTable, SharpeningIsComparedWithTheSameSeeds) {
  std::vector<ResultRecord> records = {run_of("bnn", 1, 0.7), run_of("bnn", 2, 0.7),
                                       run_of("bnn+cub", 1, 0.79), run_of("bnn+cub", 2, 0.95)};
  scale(records[0], kAvus);
  const ResultRow sharpened = price_table(Grid(records)).rows.back();
  EXPECT_EQ(sharpened.names[0], "BNN, logits / 0.65") << "seed 2 would ask for 0.5";
  EXPECT_EQ(sharpened.note, "1 seed");
}

TEST(PriceTable, OnlyTemperaturesThatAllSeedsHaveCount) {
  std::vector<ResultRecord> records = {run_of("bnn", 1, 0.7), run_of("bnn", 2, 0.7),
                                       run_of("bnn+cub", 1, 0.78), run_of("bnn+cub", 2, 0.78)};
  scale(records[0], kAvus);
  scale(records[1], {{1, 0.7}, {0.5, 0.85}});
  const ResultRow sharpened = price_table(Grid(records)).rows.back();
  EXPECT_EQ(sharpened.names[0], "BNN, logits / 0.5");
  EXPECT_EQ(sharpened.cells[2].seeds.size(), 2U);
}

TEST(PriceFigure, HasAChartForWhatRecordsHold) {
  const std::string drawing = price_figure({example_record("full", "bnn", 1, 0.8),
                                            example_record("full", "bnn+cub", 1, 0.8),
                                            example_record("full", "bnn+cub-auto", 1, 0.7)});
  EXPECT_NE(drawing.find("AvU against Acc %"), std::string::npos);
  EXPECT_NE(drawing.find("bnn+cub-auto"), std::string::npos);
  EXPECT_EQ(drawing.find("AvU against NLL"), std::string::npos) << "no record has an NLL";
}

TEST(PriceFigure, DrawsWhatTemperaturesMakeOfAMethod) {
  std::vector<ResultRecord> records = {run_of("bnn", 1, 0.7), run_of("bnn+cub", 1, 0.8)};
  const std::string without = price_figure(records);
  scale(records[0], kAvus);
  const std::string with = price_figure(records);
  const auto lines = [](const std::string& drawing) {
    std::size_t count = 0;
    for (std::size_t at = drawing.find("cp-line "); at != std::string::npos;
         at = drawing.find("cp-line ", at + 1)) {
      ++count;
    }
    return count;
  };
  EXPECT_EQ(lines(with), lines(without) + 1) << "in the chart of NLL, not in that of accuracy";
}

/// The first path that joins the settings, its coordinates among the rest.
std::string curve_of_settings(const std::string& drawing) {
  const std::size_t end = drawing.find("<title>means of settings");
  if (end == std::string::npos) return "";
  const std::size_t start = drawing.rfind("<path", end);
  return drawing.substr(start, end - start);
}

TEST(PriceFigure, JoinsThePlainNetworkAndTheSettingsOfTheLoss) {
  const std::string plain = price_figure({run_of("bnn", 1, 0.6), run_of("bnn+cub", 1, 0.8)});
  EXPECT_NE(curve_of_settings(plain), "");
  const std::string settings =
      price_figure({run_of("bnn+cub-auto", 1, 0.6), run_of("bnn+cub", 1, 0.8)});
  EXPECT_EQ(curve_of_settings(settings), curve_of_settings(plain));
  EXPECT_EQ(
      curve_of_settings(price_figure({run_of("bnn+avuc", 1, 0.6), run_of("bnn+cub", 1, 0.8)})), "");
}

TEST(PriceFigure, ThereIsOneOnlyWhereThereIsSomethingToCompare) {
  const auto with = [](const char* other) {
    const std::vector<ResultRecord> records = {run_of(other, 1, 0.7), run_of("bnn+cub", 1, 0.8)};
    return !price_figure(records).empty();
  };
  EXPECT_TRUE(with("bnn"));
  EXPECT_TRUE(with("bnn+cub-auto"));
  EXPECT_FALSE(with("deterministic"));
}

TEST(PriceFigure, ThereIsNoneOfRecordsWithoutAvu) {
  std::vector<ResultRecord> records = {run_of("bnn", 1, 0.7), run_of("bnn+cub", 1, 0.8)};
  for (ResultRecord& record : records) record.test.metrics.erase("avu");
  EXPECT_EQ(price_figure(records), "");
}

/// The disc beside a title in the legend of the last chart, up to its colour.
std::string legend_colour(const std::string& drawing, const std::string& title) {
  const std::size_t at = drawing.rfind(">" + title + "<");
  if (at == std::string::npos) throw std::runtime_error("no legend of " + title);
  const std::size_t start = drawing.rfind("<circle class=", at);
  return drawing.substr(start, drawing.find(' ', start + 8) - start);
}

TEST(PriceFigure, AMethodHasTheSameColourWhateverElseThereIs) {
  const auto colour_of_cub = [](const std::vector<ResultRecord>& records) {
    return legend_colour(price_figure(records), "BNN + CUB");
  };
  EXPECT_EQ(colour_of_cub({run_of("bnn", 1, 0.7), run_of("bnn+cub", 1, 0.8)}),
            colour_of_cub({run_of("bnn", 1, 0.7), run_of("mc-dropout", 1, 0.7),
                           run_of("bnn+avuc", 1, 0.7), run_of("bnn+cub", 1, 0.8)}));
}

TEST(PriceFigure, VariantsTakeNoColourOfAMethodThatIsThere) {
  const std::string drawing = price_figure(
      {run_of("deterministic", 1, 0.5), run_of("bnn+cub-a", 1, 0.6), run_of("bnn+cub-b", 1, 0.7),
       run_of("bnn+cub-c", 1, 0.8), run_of("bnn+cub-d", 1, 0.9)});
  std::set<std::string> colours;
  for (const char* name : {"Deterministic", "bnn+cub-a", "bnn+cub-b", "bnn+cub-c", "bnn+cub-d"}) {
    colours.insert(legend_colour(drawing, name));
  }
  EXPECT_EQ(colours.size(), 5U);
}

}  // namespace
}  // namespace cubcal::results
