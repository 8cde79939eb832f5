#include "cubcal/core/words.h"

#include <gtest/gtest.h>

#include <cstdint>

#include "cubcal/core/parse_number.h"

namespace cubcal {
namespace {

TEST(Words, BeginAndEnd) {
  EXPECT_TRUE(starts_with("layer1.weight", "layer1"));
  EXPECT_FALSE(starts_with("layer", "layer1")) << "a text shorter than the start";
  EXPECT_TRUE(starts_with("", ""));
  EXPECT_TRUE(ends_with("a.npz", ".npz"));
  EXPECT_FALSE(ends_with("npz", ".npz"));
}

TEST(Words, AreTrimmedAndMadeLowerCase) {
  EXPECT_EQ(trimmed(" \t a b\t"), "a b");
  EXPECT_EQ(trimmed(" \t"), "");
  EXPECT_EQ(lower_case("Content-LENGTH \xc3\x9c"), "content-length \xc3\x9c");
}

TEST(Words, AreJoined) {
  EXPECT_EQ(joined({}), "");
  EXPECT_EQ(joined({"a"}), "a");
  EXPECT_EQ(joined({"", "b", "c"}, "|"), "|b|c") << "an empty word keeps its place";
}

TEST(Words, LastPartOfAPath) {
  for (const char* path : {"c", "a/b/c", "/a/c", "a/b/c/", "a//c", "a/c/.", "./c"}) {
    EXPECT_EQ(last_part(path), "c") << path;
  }
  for (const char* path : {"/", ".", "..", "", "a/..", "./"}) EXPECT_EQ(last_part(path), path);
}

TEST(ParseWhole, TakesTheWholeTextOrNothing) {
  EXPECT_EQ(parse_whole<int>("-7"), -7);
  EXPECT_EQ(parse_whole<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(parse_whole<std::uint64_t>("007"), 7U);
  for (const char* text : {"", " 7", "7 ", "+7", "7.0", "0x7", "-7", "65536", "seven"}) {
    EXPECT_FALSE(parse_whole<std::uint16_t>(text)) << text;
  }
}

}  // namespace
}  // namespace cubcal
