#include "cubcal/results/paper_values.h"

#include <gtest/gtest.h>

namespace cubcal::test {
namespace {

using results::paper_detection;
using results::paper_value;

TEST(PaperValues, AreThoseOfTheTables) {
  EXPECT_EQ(paper_value("chest", "full", "bnn", "", "avu"), 0.43);
  EXPECT_EQ(paper_value("chest", "full", "bnn+cub", "dts", "bcce"), 0.0079);
  EXPECT_EQ(paper_value("retina", "25%", "bnn", "", "u_incorrect"), 1.20);
  EXPECT_EQ(paper_value("retina", "balanced", "bnn+cub", "", "avu"), 0.79);
  EXPECT_EQ(paper_value("skin", "full", "bnn+cub", "", "balanced_accuracy"), 0.66);
  EXPECT_EQ(paper_detection("chest", "bnn+cub", "dts-uncertainty", "aupr"), 0.796);
}

TEST(PaperValues, NothingWhereThePaperSaysNothing) {
  EXPECT_FALSE(paper_value("skin", "full", "bnn", "", "ece").has_value());
  EXPECT_FALSE(paper_value("retina", "full", "mc-dropout", "", "avu").has_value());
  EXPECT_FALSE(paper_value("", "full", "bnn", "", "avu").has_value());
  EXPECT_FALSE(paper_detection("chest", "bnn", "uncertainty", "auroc").has_value());
  EXPECT_FALSE(paper_detection("skin", "bnn+cub", "uncertainty", "auroc").has_value());
  EXPECT_FALSE(paper_detection("chest", "bnn+cub", "knn", "auroc").has_value());
  EXPECT_FALSE(paper_detection("chest", "bnn+cub", "uncertainty", "fpr95").has_value());
}

}  // namespace
}  // namespace cubcal::test
