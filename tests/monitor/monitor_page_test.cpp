#include "cubcal/monitor/monitor_page.h"

#include <gtest/gtest.h>

#include "monitor/random_predictions.h"

namespace cubcal::report {
namespace {

using test::random_predictions;

TEST(MonitorPage, SaysWhatItFoundAndHow) {
  Predictions drifted = random_predictions(3, 200, 1, 1);
  drifted.name = "<july> & \"august\"";
  Predictions empty;
  empty.name = "holidays";
  const Monitoring result =
      monitor(random_predictions(1, 300, 1), {random_predictions(2, 200, 1), drifted, empty},
              {"benign", "malignant", "<other>"}, {});
  const std::string page = monitor_page(result, "Ward 7 & co", "Reference: test.npz.");
  for (const char* words :
       {"<!DOCTYPE html>", "<title>Ward 7 &amp; co</title>", "3 alarms in 1 period of 3",
        "&lt;july&gt; &amp; &quot;august&quot;: confidence (p = 0.0001), uncertainty",
        "Expected accuracy", "Answers by class", "&lt;other&gt;", "holidays",
        "Reference: test.npz.", "0.05 / (4 tests × 3 periods) = 0.00417 (Bonferroni)",
        "not a medical device"}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(page.find("<july>"), std::string::npos);
  EXPECT_EQ(page.find("Out of scope"), std::string::npos);  // no flags, no chart
  EXPECT_EQ(page.find(">nan"), std::string::npos);
}

TEST(MonitorPage, ManyPeriodsAndOne) {
  std::vector<Predictions> periods;
  for (std::uint64_t t = 0; t < 30; ++t) periods.push_back(random_predictions(t + 5, 20, 1));
  Predictions reference = random_predictions(1, 100, 1);
  reference.outside.assign(100, 0);
  for (Predictions& each : periods) each.outside.assign(20, 0);
  const std::vector<std::string> names{"a", "b", "c"};
  const std::string page = monitor_page(monitor(reference, periods, names, {}), "t", "m");
  EXPECT_NE(page.find("No alarm"), std::string::npos);
  EXPECT_NE(page.find("Out of scope"), std::string::npos);
  const std::string one = monitor_page(monitor(reference, {periods[0]}, names, {}), "t", "m");
  EXPECT_NE(one.find("1 period against"), std::string::npos);
}

}  // namespace
}  // namespace cubcal::report
