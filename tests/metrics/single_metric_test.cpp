#include "cubcal/metrics/single_metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "random_logits.h"

namespace cubcal::test {
namespace {

/// These numbers as an array.
NdArray array_of(const std::vector<double>& values, const std::vector<std::size_t>& shape) {
  NdArray array(DType::kF64, shape);
  std::memcpy(array.bytes(), values.data(), array.byte_size());
  return array;
}

TEST(SingleMetric, IsThatOfAllTogether) {
  const LogitSet set = random_logits({}, 3);
  const Predictive predictive = predict(set.view());
  const MetricValues all = metric_values(sample_facts(predictive, set.labels, {}));
  const NdArray rows = array_of(predictive.probabilities, {predictive.samples, set.classes});
  for (const MetricInfo& info : metric_infos()) {
    EXPECT_EQ(metric_value(info.metric, predictive, set.labels, {}), all[info.metric]) << info.key;
    if (info.metric == Metric::kMiMean) continue;  // of the mean alone the passes are not known
    const Predictive parts = predict_probabilities(rows, parts_for(info.metric), "rows");
    EXPECT_EQ(metric_value(info.metric, parts, set.labels, {}), all[info.metric]) << info.key;
  }
}

TEST(PredictProbabilities, TakesTheMeanOfThePasses) {
  const NdArray passes = array_of({0.5, 0.5, 0.2, 0.8, 0.9, 0.1, 0.4, 0.6}, {2, 2, 2});
  const Predictive mean = predict_probabilities(passes, {}, "p");
  EXPECT_DOUBLE_EQ(mean.probabilities[0], 0.7);
  EXPECT_DOUBLE_EQ(mean.probabilities[3], 0.7);
  EXPECT_EQ(mean.predicted[1], 1);
  const double each[] = {0.5, 0.5, 0.9, 0.1};
  EXPECT_DOUBLE_EQ(mean.aleatoric[0],
                   (summarise(each, 2).entropy + summarise(each + 2, 2).entropy) / 2);
  EXPECT_GT(mean.epistemic(0), 0);
}

TEST(PredictProbabilities, DividesByASumThatIsNotOne) {
  const Predictive scaled = predict_probabilities(array_of({0.6, 0.2}, {1, 2}), {}, "p");
  EXPECT_DOUBLE_EQ(scaled.confidence[0], 0.75);
  const double nearly = 0.7 + 1e-9;
  EXPECT_EQ(predict_probabilities(array_of({nearly, 0.3}, {1, 2}), {}, "p").confidence[0], nearly);
}

TEST(PredictProbabilities, RefusesWhatIsNone) {
  const auto refuse = [](const std::vector<double>& values, const char* words) {
    expect_error<DataError>(
        [&] {
          predict_probabilities(array_of(values, {1, 2}), {}, "p");
        },
        words);
  };
  refuse({-0.1, 1.1}, "holds -0.1");
  refuse({0.5, std::nan("")}, "holds nan");
  refuse({0, 0}, "a row of zeros");
}

}  // namespace
}  // namespace cubcal::test
