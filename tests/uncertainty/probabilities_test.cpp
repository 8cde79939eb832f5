#include "cubcal/uncertainty/probabilities.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

std::vector<double> distribution_of(std::vector<double> row) {
  as_distribution(row.data(), row.size(), "p.npz");
  return row;
}

NdArray floats(const std::vector<float>& values, std::vector<std::size_t> shape) {
  NdArray array(DType::kF32, std::move(shape));
  std::copy(values.begin(), values.end(), array.as<float>());
  return array;
}

TEST(GivenRow, CountsAsItIsWhereItSumsToOne) {
  for (const std::vector<double>& row :
       {std::vector<double>{0.2, 0.3, 0.5}, {0, 0, 1}, {0.1, 0.2, 0.7 + 9e-7}}) {
    EXPECT_EQ(distribution_of(row), row);
  }
}

TEST(GivenRow, IsElseDividedByItsSum) {
  std::vector<double> row{0.9, 0.9, 0.2};
  EXPECT_EQ(as_distribution(row.data(), 3, "p.npz"), 2.0);
  EXPECT_EQ(row, (std::vector<double>{0.45, 0.45, 0.1}));
  EXPECT_EQ(distribution_of({1e-310, 0}), (std::vector<double>{1, 0}));
  EXPECT_EQ(distribution_of({0.5, 0.5 + 2e-6})[0], 0.5 / (0.5 + (0.5 + 2e-6)));
}

TEST(GivenRow, IsRefusedWhereItIsNoDistribution) {
  for (const double bad : {-1e-9, 1.02, std::nan(""), HUGE_VAL}) {
    expect_error<DataError>([&] { distribution_of({0.5, bad}); }, "takes numbers from 0 to 1");
  }
  expect_error<DataError>([] { distribution_of({0, 0}); }, "'p.npz' has a row of zeros");
}

TEST(LogProbabilities, AreFlooredAndTellWhatWasRescaled) {
  const NdArray given = floats({1, 0, 0.25F, 0.75F, 0.5F, 0.75F, 0.999F, 0}, {1, 4, 2});
  const LogProbabilities found = log_probabilities(given, "p.npz");
  ASSERT_EQ(found.logits.dtype(), DType::kF32);
  const float* z = found.logits.as<float>();
  EXPECT_EQ(z[0], 0.0F);
  EXPECT_EQ(z[1], static_cast<float>(std::log(kProbabilityFloor)));
  EXPECT_EQ(z[2], static_cast<float>(std::log(0.25)));
  EXPECT_EQ(z[4], static_cast<float>(std::log(0.5 / 1.25)));
  EXPECT_EQ(found.rescaled, 1U) << "0.999 is near enough not to be told";
}

TEST(TwoClasses, OfOneProbabilityKeepIt) {
  const NdArray both = two_class_probabilities(floats({0.1F, 0, 1}, {1, 3, 1}), "p.npz");
  EXPECT_EQ(both.shape(), (std::vector<std::size_t>{1, 3, 2}));
  const std::vector<float> expected{1 - 0.1F, 0.1F, 1, 0, 0, 1};
  EXPECT_EQ(std::vector<float>(both.as<float>(), both.as<float>() + 6), expected);
  expect_error<DataError>(
      [] {
        two_class_probabilities(floats({1.001F}, {1, 1, 1}), "p.npz");
      },
      "takes numbers from 0 to 1");
}

TEST(TwoClasses, OfOneLogit) {
  const NdArray both = two_class_logits(floats({-2, 0.5F}, {1, 2, 1}), "z.npz");
  const std::vector<float> expected{0, -2, 0, 0.5F};
  EXPECT_EQ(std::vector<float>(both.as<float>(), both.as<float>() + 4), expected);
  expect_error<DataError>(
      [] {
        two_class_logits(floats({0.2F, 0.5F}, {1, 2, 1}), "z.npz");
      },
      "look like sigmoid outputs");
}

}  // namespace
}  // namespace cubcal::test
