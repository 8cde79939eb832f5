#include "cubcal/report/numbers.h"

#include <gtest/gtest.h>

#include <cmath>

namespace cubcal::report {
namespace {

TEST(ReportNumbers, AreWrittenForReaders) {
  EXPECT_EQ(fixed(-0.5, 2), "−0.50");
  EXPECT_EQ(fixed(-0.0001, 2), "0.00");
  EXPECT_EQ(percent(0.8415), "84.2%");
  EXPECT_EQ(percent(0.05, 0), "5%");
  EXPECT_EQ(grouped(1234567), "1\u202f234\u202f567");
  EXPECT_EQ(counted(1, "image"), "1 image");
  EXPECT_EQ(counted(1000, "image"), "1\u202f000 images");
}

TEST(ReportNumbers, MetricsHaveTheirUnits) {
  const MetricInfo& accuracy = metric_infos()[0];
  EXPECT_EQ(metric_text(accuracy, 0.8415), "84.15");
  EXPECT_EQ(metric_text(accuracy, std::nullopt), "–");
  EXPECT_EQ(difference_text(accuracy, 0.01), "+1.00");
  EXPECT_EQ(difference_text(accuracy, -0.01), "−1.00");
  EXPECT_EQ(difference_text(accuracy, 1e-9), "0.00");
  EXPECT_EQ(interval_text(accuracy, Interval{0.8, 0.9, 10}), "80.00 to 90.00");
}

TEST(ReportNumbers, SpreadLeavesOutWhatIsUndefined) {
  EXPECT_FALSE(spread_of({std::nullopt}));
  const auto spread = spread_of({0.1, std::nullopt, 0.3});
  ASSERT_TRUE(spread);
  EXPECT_EQ(spread->values, 2U);
  EXPECT_NEAR(spread->mean, 0.2, 1e-15);
  EXPECT_NEAR(spread->deviation, 0.1 * std::sqrt(2.0), 1e-15);
  EXPECT_EQ(spread_text(metric_infos()[0], spread), "20.00 ± 14.14");
  EXPECT_EQ(spread_text(metric_infos()[0], spread_of({0.5})), "50.00");
}

TEST(ReportNumbers, WilsonIntervalsStayInside) {
  // 10 of 20: centre 1/2, half width 1.96 sqrt(0.25/20 + 1.96^2/1600) / (1 + 1.96^2/20).
  const Interval half = wilson_interval(10, 20);
  EXPECT_NEAR(half.low, 0.29929, 1e-5);
  EXPECT_NEAR(half.high, 0.70071, 1e-5);
  EXPECT_EQ(wilson_interval(0, 5).low, 0);
  EXPECT_EQ(wilson_interval(5, 5).high, 1);
}

}  // namespace
}  // namespace cubcal::report
