#include "cubcal/html/page_numbers.h"

#include <gtest/gtest.h>

namespace cubcal::report {
namespace {

TEST(PageNumbers, ThousandsStandApart) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1000), "1\u202f000");
  EXPECT_EQ(grouped(1234567), "1\u202f234\u202f567");
  EXPECT_EQ(counted(1, "image"), "1 image");
  EXPECT_EQ(counted(12345, "image"), "12\u202f345 images");
}

TEST(PageNumbers, AMinusIsAMinus) {
  EXPECT_EQ(fixed(1.25, 1), "1.2") << "halves go to the even digit";
  EXPECT_EQ(fixed(-3.14159, 2), "−3.14");
  EXPECT_EQ(fixed(-0.001, 2), "0.00") << "what is shown as zero has no sign";
  EXPECT_EQ(percent(0.8423), "84.2%");
  EXPECT_EQ(percent(0.05, 0), "5%");
}

}  // namespace
}  // namespace cubcal::report
