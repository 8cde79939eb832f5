#include "cubcal/adaptive/replay_report.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace cubcal {
namespace {

ReplayReport example_report() {
  ReplayReport report;
  report.title = "a file";
  report.adaptive.error = 0.005;
  report.decision.gamma.reset();
  report.replay.total = 20;
  report.replay.passes = {8, 8, 12, 20};
  report.changes.samples = 4;
  report.changes.any = 1;
  report.changes.mean_passes = 12;
  return report;
}

TEST(ReplayReport, RowsHaveGammaOnlyWhereItIsDecided) {
  ReplayReport report = example_report();
  EXPECT_EQ(report.rows().size(), 4U);
  report.decision.gamma = 0.9;
  EXPECT_EQ(report.rows().size(), 5U);
  EXPECT_EQ(report.histogram().at(8), 2U);
  EXPECT_EQ(report.share(1), 0.25);
}

TEST(ReplayReport, AChangeInFourBreaksAPromiseOfOneInTwoHundred) {
  ReplayReport report = example_report();
  EXPECT_TRUE(report.is_broken());
  report.adaptive.error = 0.01;
  EXPECT_FALSE(report.is_broken());
}

TEST(ReplayReport, IsWrittenAsJson) {
  const nlohmann::ordered_json json = to_json(example_report());
  EXPECT_EQ(json["title"], "a file");
  EXPECT_TRUE(json["calibration"].is_null());
  EXPECT_TRUE(json["options"]["gamma"].is_null());
  EXPECT_EQ(json["passes"]["histogram"][0]["samples"], 2);
  EXPECT_EQ(json["changed"]["any"]["share"], 0.25);
  EXPECT_EQ(json["promise_broken"], true);
}

}  // namespace
}  // namespace cubcal
