#include "cubcal/core/check.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(ToText, ReadsBackAsTheSameDouble) {
  for (const double value : {0.1, 1.0 / 3.0, -2.5e-308, 5e-324, 1.7976931348623157e308, 42.0}) {
    EXPECT_EQ(std::strtod(to_text(value / 3).c_str(), nullptr), value / 3);
  }
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(kNan), "nan");
  EXPECT_EQ(to_text(-kInfinity), "-inf");
}

TEST(Check, AcceptsTheDomainWithItsEnds) {
  EXPECT_NO_THROW(check_finite("x", -1e308));
  EXPECT_NO_THROW(check_positive("x", 5e-324));
  EXPECT_NO_THROW(check_at_least("x", 1.0, 1.0));
  EXPECT_NO_THROW(check_at_least("x", kInfinity, 1.0));
  EXPECT_NO_THROW(check_in_closed("x", 0.0, 0.0, 1.0));
  EXPECT_NO_THROW(check_in_closed("x", 1.0, 0.0, 1.0));
  EXPECT_NO_THROW(check_in_open("x", 0.5, 0.0, 1.0));
  EXPECT_NO_THROW(check_classes(2));
  EXPECT_NO_THROW(check_same_size("a", 3, "b", 3));
}

TEST(Check, SaysWhatIsAcceptedAndWhatCame) {
  expect_error<ArgumentError>([] { check_finite("x", kInfinity); },
                              "x must be a finite number, not inf");
  expect_error<ArgumentError>([] { check_positive("temperature", 0.0); },
                              "temperature must be a positive number, not 0");
  expect_error<ArgumentError>([] { check_positive("temperature", kInfinity); },
                              "temperature must be a positive number, not inf");
  expect_error<ArgumentError>([] { check_at_least("bins", 0.0, 1.0); },
                              "bins must be at least 1, not 0");
  expect_error<ArgumentError>([] { check_in_closed("gamma", 1.5, 0.5, 1.0); },
                              "gamma must be in [0.5, 1], not 1.5");
  expect_error<ArgumentError>([] { check_in_open("level", 1.0, 0.0, 1.0); },
                              "level must be in (0, 1), not 1");
  expect_error<ArgumentError>([] { check_classes(1); },
                              "the number of classes must be at least 2, not 1");
  expect_error<ArgumentError>([] { check_same_size("groups", 3, "labels", 4); },
                              "groups has 3 entries but labels has 4");
}

TEST(Check, RefusesNan) {
  expect_error<ArgumentError>([] { check_finite("x", kNan); }, "not nan");
  expect_error<ArgumentError>([] { check_positive("x", kNan); }, "not nan");
  expect_error<ArgumentError>([] { check_at_least("x", kNan, 0); }, "not nan");
  expect_error<ArgumentError>([] { check_in_closed("x", kNan, 0, 1); }, "not nan");
  expect_error<ArgumentError>([] { check_in_open("x", kNan, 0, 1); }, "not nan");
}

TEST(Check, NumbersAsTextHaveTheDigitsAskedFor) {
  EXPECT_EQ(fixed(-0.001, 2), "0.00");
  EXPECT_EQ(fixed(1e300, 3).size(), 305U) << "whatever the size of the number";
  EXPECT_EQ(significant(0.012345, 3), "0.0123");
  EXPECT_EQ(significant(1234567, 2), "1.2e+06");
}

}  // namespace
}  // namespace cubcal
