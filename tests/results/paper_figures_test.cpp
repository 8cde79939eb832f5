#include "cubcal/results/paper_figures.h"

#include <gtest/gtest.h>

#include "cubcal/results/experiment_tables.h"
#include "results/example_record.h"

namespace cubcal::results {
namespace {

AnswerSpread spread_of(double wrong) {
  AnswerSpread spread;
  spread.classes = 5;
  spread.right = {60, 20, 10, 5};
  spread.wrong = {1, 2, wrong, 4};
  spread.boundary = {{0, 0, 0}, {10, 1.0, 1.2}, {90, 0.1, 0.05}};
  return spread;
}

ResultRecord told(const std::string& method, std::uint64_t seed) {
  ResultRecord record = test::example_record("full", method, seed, 0.8);
  record.test.spread = spread_of(3);
  record.post_hoc.front().spread = spread_of(8);
  return record;
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
    ++count;
  }
  return count;
}

TEST(PaperFigures, ShowEveryMethodOnOneAxis) {
  const std::vector<ResultRecord> records = {told("bnn", 1), told("bnn", 2), told("bnn+cub", 1)};
  const std::string svg = uncertainty_figure(Grid(records));
  EXPECT_EQ(times(svg, "<svg"), 1U);
  for (const char* name : {"BNN, right", "BNN, wrong", "BNN + CUB, right", "BNN + CUB, wrong"}) {
    EXPECT_NE(svg.find(name), std::string::npos) << name;
  }
}

TEST(PaperFigures, TooFewAnswersMakeNoDensity) {
  ResultRecord record = told("bnn+cub", 1);
  record.test.spread.wrong = {0, 0, 1, 2};
  const std::vector<ResultRecord> records = {record};
  EXPECT_EQ(uncertainty_figure(Grid(records)).find("wrong, "), std::string::npos);
  EXPECT_EQ(uncertainty_figure(Grid(records)).find("BNN + CUB, wrong"), std::string::npos);
}

TEST(PaperFigures, CalibrationsStandSideBySide) {
  const std::vector<ResultRecord> records = {told("bnn+cub", 1), told("bnn+cub", 2)};
  const std::string svg = boundary_figure(Grid(records));
  EXPECT_NE(svg.find("BNN + CUB, not calibrated"), std::string::npos);
  EXPECT_NE(svg.find("BNN + CUB, dts"), std::string::npos);
  EXPECT_EQ(svg.find("BNN + CUB, ts-nll"), std::string::npos) << "which the records do not hold";
}

TEST(PaperFigures, RecordsThatDoNotTellHaveNone) {
  std::vector<ResultRecord> records = {told("bnn+cub", 1), told("bnn+cub", 2)};
  const auto keys = [&] {
    std::string text;
    for (const ResultFigure& figure : experiment_figures(records)) text += figure.key + " ";
    return text;
  };
  EXPECT_EQ(keys(), "eyes-uncertainty eyes-boundary ");
  records[1].test.spread = {};
  EXPECT_EQ(keys(), "");
}

}  // namespace
}  // namespace cubcal::results
