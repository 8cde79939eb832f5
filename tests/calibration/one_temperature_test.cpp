#include "cubcal/calibration/one_temperature.h"

#include <gtest/gtest.h>

#include "cubcal/uncertainty/predictive.h"
#include "random_logits.h"

namespace cubcal {
namespace {

using test::LogitSet;

MetricValues values_of(const LogitSet& set) {
  return metric_values(sample_facts(predict(set.view()), set.labels, {}));
}

void expect_equal(const MetricValues& a, const MetricValues& b) {
  for (const MetricInfo& info : metric_infos()) {
    ASSERT_EQ(a[info.metric].has_value(), b[info.metric].has_value()) << info.key;
    if (!a[info.metric]) continue;
    EXPECT_NEAR(*a[info.metric], *b[info.metric], 1e-12) << info.key;
  }
}

TEST(OneTemperature, DividesTheLogitsOfEveryPass) {
  const LogitSet set = test::random_logits({}, 3);
  const std::vector<ScaledValues> scaled = values_by_temperature(set.view(), set.labels, {});
  ASSERT_EQ(scaled.size(), kComparedTemperatures.size());
  for (const ScaledValues& each : scaled) {
    LogitSet divided = set;
    for (double& logit : divided.values) logit /= each.temperature;
    expect_equal(each.values, values_of(divided));
  }
}

TEST(OneTemperature, GoesFromSoftToSharpAndHoldsTheNetworkAsItIs) {
  const LogitSet set = test::random_logits({}, 4);
  const std::vector<ScaledValues> scaled = values_by_temperature(set.view(), set.labels, {});
  std::size_t unscaled = 0;
  for (std::size_t i = 0; i < scaled.size(); ++i) {
    if (scaled[i].temperature == 1) {
      ++unscaled;
      expect_equal(scaled[i].values, values_of(set));
    }
    if (i == 0) continue;
    EXPECT_LT(scaled[i].temperature, scaled[i - 1].temperature);
    EXPECT_LT(*scaled[i].values[Metric::kUCorrect], *scaled[i - 1].values[Metric::kUCorrect]);
  }
  EXPECT_EQ(unscaled, 1U);
}

}  // namespace
}  // namespace cubcal
