#include "cubcal/core/content_hash.h"

#include <gtest/gtest.h>

namespace cubcal {
namespace {

TEST(ContentHash, IsFnv1a) {
  EXPECT_EQ(content_hash(std::string()), "cbf29ce484222325");
  EXPECT_EQ(content_hash(std::string("a")), "af63dc4c8601ec8c");
  EXPECT_EQ(content_hash(std::string("foobar")), "85944171f73967e8");
}

TEST(ContentHash, TellsWhereTextsEnd) {
  ContentHash first, second;
  first.add(std::string("ab"));
  first.add(std::string("c"));
  second.add(std::string("a"));
  second.add(std::string("bc"));
  EXPECT_NE(first.text(), second.text());
}

}  // namespace
}  // namespace cubcal
