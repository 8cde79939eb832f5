#include "cubcal/io/utf8.h"

#include <gtest/gtest.h>

#include <string>

#include "cubcal/core/error.h"

namespace cubcal {
namespace {

TEST(Printable, shows_control_characters_and_keeps_the_rest) {
  EXPECT_EQ(printable("größe \x1b[2J\n\xff"), "größe \\x1b[2J\\x0a\\xff");
  EXPECT_EQ(printable(std::string(200, 'a')), std::string(200, 'a'));
  EXPECT_EQ(printable("a\u202eb\u2066\u200f"), "a\\u202eb\\u2066\\u200f");
  EXPECT_EQ(printable("שלום"), "שלום");
}

TEST(Utf8, accepts_every_length_and_round_trips) {
  for (const std::uint32_t point : {0x0U, 0x41U, 0x7FU, 0x80U, 0x7FFU, 0x800U, 0xD7FFU, 0xE000U,
                                    0xFFFFU, 0x10000U, 0x10FFFFU}) {
    std::string text;
    append_utf8(text, point);
    EXPECT_TRUE(is_utf8(text)) << point;
    EXPECT_EQ(code_points(text), std::vector<std::uint32_t>{point});
  }
}

TEST(Utf8, refuses_what_is_malformed) {
  for (const char* text :
       {"\x80", "\xC0\x80", "\xC3", "\xE0\x80\x80", "\xED\xA0\x80", "\xF0\x80\x80\x80",
        "\xF4\x90\x80\x80", "\xF5\x80\x80\x80", "\xC3(", "caf\xE9"}) {
    EXPECT_FALSE(is_utf8(text)) << in_quotes(text);
    EXPECT_THROW(code_points(text), DataError);
  }
  std::string text;
  EXPECT_THROW(append_utf8(text, 0xD800), DataError);
  EXPECT_THROW(append_utf8(text, 0x110000), DataError);
}

TEST(InQuotes, makes_any_bytes_printable) {
  EXPECT_EQ(in_quotes("Röntgen"), "'Röntgen'");
  EXPECT_EQ(in_quotes("a\n\x1b[31m\xE9"), "'a\\x0a\\x1b[31m\\xe9'");
  EXPECT_EQ(in_quotes("\xC2\x9B"), "'\\xc2\\x9b'");
  EXPECT_EQ(in_quotes(std::string(1000, 'x')), "'" + std::string(80, 'x') + "...'");
}

}  // namespace
}  // namespace cubcal
