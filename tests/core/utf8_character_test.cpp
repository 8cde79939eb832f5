#include "cubcal/core/utf8_character.h"

#include <gtest/gtest.h>

namespace cubcal {
namespace {

TEST(Utf8Character, TakesOneCharacter) {
  EXPECT_EQ(first_character("ab").code_point, 'a');
  EXPECT_EQ(first_character("ab").length, 1U);
  EXPECT_EQ(first_character("\u03B3x").code_point, 0x3B3U);
  EXPECT_EQ(first_character("\u03B3x").length, 2U);
  EXPECT_EQ(first_character("\U0001F600").code_point, 0x1F600U);
  EXPECT_EQ(first_character("\U0001F600").length, 4U);
}

TEST(Utf8Character, MalformedTextHasNone) {
  for (const char* text :
       {"\xFF", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80", "\xE2x"}) {
    EXPECT_EQ(first_character(text).length, 0U);
  }
}

}  // namespace
}  // namespace cubcal
