#include "cubcal/io/text_encoding.h"

#include <gtest/gtest.h>

#include "cubcal/io/csv.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

std::string decoded(std::string_view bytes, TextEncoding encoding = TextEncoding::kAuto) {
  return decode_text(bytes, encoding, "x").text;
}

std::string complaint(std::string_view bytes, TextEncoding encoding) {
  return message_of<DataError>([&] { decode_text(bytes, encoding, "x"); });
}

TEST(TextEncoding, IsRecognisedByMarkAndContent) {
  EXPECT_EQ(decoded("\xEF\xBB\xBF"
                    "a\xC3\xA4"),
            "a\xC3\xA4");
  EXPECT_EQ(decoded(std::string_view("\xFF\xFE"
                                     "a\0\xE4\0",
                                     6)),
            "a\xC3\xA4");
  EXPECT_EQ(decoded(std::string_view("\xFE\xFF\0a\0\xE4", 6)), "a\xC3\xA4");
  EXPECT_EQ(decoded("a\xC3\xA4"), "a\xC3\xA4");
  EXPECT_EQ(decoded("a\xE4"), "a\xC3\xA4");
  EXPECT_EQ(decoded("\x80"), "\xE2\x82\xAC");  // the euro sign of Windows
  EXPECT_EQ(decode_text("a\xE4", TextEncoding::kAuto, "x").encoding, TextEncoding::kLatin1);
  EXPECT_EQ(decoded(""), "");
}

TEST(TextEncoding, IsTakenAsSaid) {
  EXPECT_EQ(decoded("\xC3\xA4", TextEncoding::kLatin1), "\xC3\x83\xC2\xA4");
  EXPECT_EQ(decoded(std::string_view("a\0", 2), TextEncoding::kUtf16), "a");
  EXPECT_EQ(decoded(std::string_view("\0a", 2), TextEncoding::kUtf16Be), "a");
}

TEST(TextEncoding, PairsOfUtf16AreOneCharacter) {
  EXPECT_EQ(decoded(std::string_view("\x3D\xD8\x00\xDE", 4), TextEncoding::kUtf16),
            "\xF0\x9F\x98\x80");
  EXPECT_EQ(complaint(std::string_view("\x3D\xD8", 2), TextEncoding::kUtf16),
            "'x' is not UTF-16: half a pair stands alone");
  EXPECT_EQ(complaint(std::string_view("\x00\xDE", 2), TextEncoding::kUtf16),
            "'x' is not UTF-16: half a pair stands alone");
  EXPECT_EQ(complaint("abc", TextEncoding::kUtf16), "'x' is not UTF-16: half a unit is left");
}

TEST(TextEncoding, HasNames) {
  EXPECT_EQ(parse_text_encoding("UTF-16LE"), TextEncoding::kUtf16);
  EXPECT_EQ(parse_text_encoding("ISO_8859-1"), TextEncoding::kLatin1);
  EXPECT_STREQ(text_encoding_name(TextEncoding::kLatin1), "latin-1");
  EXPECT_EQ(message_of<ArgumentError>([] { parse_text_encoding("ebcdic"); }),
            "the encoding 'ebcdic' is not known: auto, utf-8, utf-16, utf-16be and latin-1 are");
}

TEST(CsvSeparator, IsTheCommonestOfTheHeader) {
  EXPECT_EQ(recognise_separator("a,b\n1;2;3;4\n"), ',');
  EXPECT_EQ(recognise_separator("\n\"a,b,c\";d\n"), ';');
  EXPECT_EQ(recognise_separator("a\tb c\td"), '\t');
  EXPECT_EQ(recognise_separator("a|b"), '|');
  EXPECT_EQ(recognise_separator("file\n"), ',');
  EXPECT_EQ(recognise_separator(""), ',');
  CsvOptions options;
  options.separator = ';';
  EXPECT_EQ(parse_csv("a;b\n\"1;2\";3,4\n", "x", options).rows[0],
            (std::vector<std::string>{"1;2", "3,4"}));
}

}  // namespace
}  // namespace cubcal::test
