#include "cubcal/http/client_limit.h"

#include <gtest/gtest.h>

namespace cubcal::test {
namespace {

TEST(ClientLimit, CountsEachClientByItself) {
  ClientLimit limit(2);
  EXPECT_TRUE(limit.enter("a"));
  EXPECT_TRUE(limit.enter("a"));
  EXPECT_FALSE(limit.enter("a"));
  EXPECT_TRUE(limit.enter("b"));
  limit.leave("a");
  EXPECT_TRUE(limit.enter("a"));
}

TEST(ClientLimit, NoneIsNoLimit) {
  ClientLimit limit(0);
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(limit.enter("a"));
}

}  // namespace
}  // namespace cubcal::test
