#include "cubcal/metrics/single_metric.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "cubcal/core/error.h"
#include "cubcal/core/parallel.h"
#include "cubcal/metrics/streamed_ece.h"
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
    const Predictive parts = predict_probabilities(McLogits(rows), parts_for(info.metric), "rows");
    EXPECT_EQ(metric_value(info.metric, parts, set.labels, {}), all[info.metric]) << info.key;
    EXPECT_EQ(metric_value(info.metric, rows, set.labels, {}, "rows"), all[info.metric])
        << info.key;
  }
}

/// ECE as the prediction of these rows has it.
std::optional<double> ece_of_prediction(const NdArray& rows,
                                        const std::vector<std::int64_t>& labels, std::size_t bins) {
  MetricOptions options;
  options.bins = bins;
  return metric_value(Metric::kEce, predict_probabilities(McLogits(rows), {}, "rows"), labels,
                      options);
}

// Rounded to fortieths, so that there are equal probabilities and values on the edges of bins; of
// more samples than a block has, and not a multiple of the rows read at once.
TEST(StreamedEce, IsThatOfThePredictionToTheBit) {
  for (const std::size_t classes : {2U, 3U, 6U, 7U, 12U}) {
    LogitShape shape;
    shape.classes = classes;
    shape.samples = 5001;
    const LogitSet set = random_logits(shape, classes);
    std::vector<double> p = predict(set.view()).probabilities;
    for (std::size_t i = 0; i < shape.samples; ++i) {
      double left = 1;
      for (std::size_t k = 1; k < classes; ++k) {
        double& each = p[i * classes + k];
        each = std::min(left, std::round(each * 40) / 40);
        left -= each;
      }
      p[i * classes] = std::max(left, 0.0);
    }
    const NdArray wide = array_of(p, {shape.samples, classes});
    NdArray narrow(DType::kF32, {shape.samples, classes});
    for (std::size_t i = 0; i < p.size(); ++i) narrow.as<float>()[i] = static_cast<float>(p[i]);
    for (const std::size_t bins : {1U, 10U, 15U, 40U}) {
      for (const NdArray* rows : std::initializer_list<const NdArray*>{&wide, &narrow}) {
        const auto streamed = streamed_ece(*rows, set.labels, bins);
        ASSERT_TRUE(streamed);
        EXPECT_EQ(streamed, ece_of_prediction(*rows, set.labels, bins)) << classes << ' ' << bins;
      }
    }
    set_thread_count(1);
    const auto alone = streamed_ece(wide, set.labels, 15);
    set_thread_count(3);
    EXPECT_EQ(streamed_ece(wide, set.labels, 15), alone);
    set_thread_count(0);
  }
}

TEST(StreamedEce, LeavesToOthersWhatIsNotPlain) {
  const std::vector<std::int64_t> labels{0, 1};
  const auto of = [&](const std::vector<double>& p) {
    return streamed_ece(array_of(p, {2, 2}), labels, 15);
  };
  EXPECT_TRUE(of({0.5, 0.5, 0.2, 0.8}));
  EXPECT_FALSE(of({0.5, 0.5, 0.2, 0.7})) << "a sum that is not 1";
  EXPECT_FALSE(of({0.5, 0.5, -0.2, 1.2})) << "a negative number";
  EXPECT_FALSE(of({0.5, 0.5, 0.2, std::nan("")}));
  EXPECT_FALSE(streamed_ece(array_of({0.5, 0.5}, {1, 2}), std::vector<std::int64_t>{-1}, 15));
  EXPECT_FALSE(streamed_ece(array_of({0.5, 0.5}, {1, 2}), std::vector<std::int64_t>{2}, 15));
  EXPECT_FALSE(streamed_ece(array_of({0.5, 0.5}, {1, 1, 2}), std::vector<std::int64_t>{0}, 15))
      << "passes";
  const NdArray scaled = array_of({0.6, 0.2, 0.2, 0.8}, {2, 2});
  EXPECT_EQ(metric_value(Metric::kEce, scaled, labels, {}, "p"),
            ece_of_prediction(scaled, labels, 15));
  expect_error<DataError>(
      [&] {
        metric_value(Metric::kEce, scaled, std::vector<std::int64_t>{0, 2}, {}, "p");
      },
      "labels must be in 0..1");
}

TEST(PredictProbabilities, TakesTheMeanOfThePasses) {
  const NdArray passes = array_of({0.5, 0.5, 0.2, 0.8, 0.9, 0.1, 0.4, 0.6}, {2, 2, 2});
  const Predictive mean = predict_probabilities(McLogits(passes), {}, "p");
  EXPECT_DOUBLE_EQ(mean.probabilities[0], 0.7);
  EXPECT_DOUBLE_EQ(mean.probabilities[3], 0.7);
  EXPECT_EQ(mean.predicted[1], 1);
  const double each[] = {0.5, 0.5, 0.9, 0.1};
  EXPECT_DOUBLE_EQ(mean.aleatoric[0],
                   (summarise(each, 2).entropy + summarise(each + 2, 2).entropy) / 2);
  EXPECT_GT(mean.epistemic(0), 0);
}

TEST(PredictProbabilities, DividesByASumThatIsNotOne) {
  const Predictive scaled = predict_probabilities(McLogits(array_of({0.6, 0.2}, {1, 2})), {}, "p");
  EXPECT_DOUBLE_EQ(scaled.confidence[0], 0.75);
  const double nearly = 0.7 + 1e-9;
  EXPECT_EQ(predict_probabilities(McLogits(array_of({nearly, 0.3}, {1, 2})), {}, "p").confidence[0],
            nearly);
}

TEST(PredictProbabilities, RefusesWhatIsNone) {
  const auto refuse = [](const std::vector<double>& values, const char* words) {
    expect_error<DataError>(
        [&] {
          predict_probabilities(McLogits(array_of(values, {1, 2})), {}, "p");
        },
        words);
  };
  refuse({-0.1, 1.1}, "holds -0.1");
  refuse({0.5, std::nan("")}, "holds nan");
  refuse({0, 0}, "a row of zeros");
}

}  // namespace
}  // namespace cubcal::test
