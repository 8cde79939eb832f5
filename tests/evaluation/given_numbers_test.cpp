#include "cubcal/evaluation/given_numbers.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

LogitsFile file_of(const std::vector<double>& numbers, std::size_t classes) {
  LogitsFile file;
  file.path = "test.npz";
  file.logits = NdArray(DType::kF64, {1, numbers.size() / classes, classes});
  std::copy(numbers.begin(), numbers.end(), file.logits.as<double>());
  return file;
}

std::vector<double> numbers_in(const NdArray& array) {
  const auto* first = array.as<double>();
  return {first, first + array.size()};
}

TEST(GivenNumbers, ProbabilitiesAreKeptBesideTheirLogarithms) {
  LogitsFile file = file_of({0.25, 0.75, 0.5, 0.5}, 2);
  EXPECT_EQ(take_numbers(file, {true, false}), 0U);
  EXPECT_EQ(numbers_in(file.probabilities), (std::vector<double>{0.25, 0.75, 0.5, 0.5}));
  EXPECT_NEAR(file.logits.as<double>()[0], std::log(0.25), 1e-12);
}

TEST(GivenNumbers, OneNumberASampleIsThatOfClassOne) {
  LogitsFile shares = file_of({0.25, 1}, 1);
  take_numbers(shares, {true, true});
  EXPECT_EQ(shares.probabilities.shape(), (std::vector<std::size_t>{1, 2, 2}));
  EXPECT_EQ(numbers_in(shares.probabilities), (std::vector<double>{0.75, 0.25, 0, 1}));
  LogitsFile logits = file_of({3, -2}, 1);
  take_numbers(logits, {false, true});
  EXPECT_EQ(logits.logits.shape(), (std::vector<std::size_t>{1, 2, 2}));
  const std::vector<double> both = numbers_in(logits.logits);
  EXPECT_EQ(both[1] - both[0], 3) << "only the difference of logits counts";
  EXPECT_EQ(both[3] - both[2], -2);
}

TEST(GivenNumbers, SaysHowManyRowsDidNotSumToOne) {
  LogitsFile file = file_of({0.25, 0.25, 0.5, 0.5, 0.2, 0.7}, 2);
  EXPECT_EQ(take_numbers(file, {true, false}), 2U);
}

TEST(GivenNumbers, ProbabilitiesAreNotTakenForLogits) {
  LogitsFile file = file_of({0.25, 0.75, 0.5, 0.5}, 2);
  test::expect_error<DataError>([&] { take_numbers(file, {}); }, "test.npz");
  LogitsFile negative = file_of({-0.5, 1.5}, 2);
  test::expect_error<DataError>([&] { take_numbers(negative, {true, false}); }, "test.npz");
}

}  // namespace
}  // namespace cubcal
