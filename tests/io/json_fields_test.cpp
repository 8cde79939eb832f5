#include "cubcal/io/json_fields.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

const JsonFields::Json kThing = JsonFields::Json::parse(
    R"({"n": 1.5, "count": 3, "below": -2, "word": "a", "words": ["a", "b"], "none": null,
        "inside": {"n": 2}, "mixed": ["a", 1]})");

TEST(JsonFields, ReadsWhatIsThere) {
  const JsonFields fields(kThing, "thing");
  EXPECT_EQ(fields.number("n"), 1.5);
  EXPECT_EQ(fields.number("count"), 3);
  EXPECT_EQ(fields.count("count"), 3U);
  EXPECT_EQ(fields.whole_number("below"), -2);
  EXPECT_EQ(fields.text("word"), "a");
  EXPECT_EQ(fields.texts("words"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(fields.number_or_null("n"), 1.5);
  EXPECT_EQ(fields.number_or_null("none"), std::nullopt);
  EXPECT_EQ(fields.object("inside").number("n"), 2);
  EXPECT_TRUE(fields.has("none"));
  EXPECT_FALSE(fields.has("absent"));
}

TEST(JsonFields, ErrorsNameTheFieldAndItsOwner) {
  const JsonFields fields(kThing, "thing");
  expect_error<DataError>([&] { fields.text("absent"); }, "a thing needs the field 'absent'");
  expect_error<DataError>([&] { fields.number("word"); },
                          "the thing's field 'word' must be a number, not string");
  expect_error<DataError>([&] { fields.count("below"); },
                          "'below' must be a whole number from 0 on, not number");
  expect_error<DataError>([&] { fields.whole_number("n"); }, "'n' must be a whole number");
  expect_error<DataError>([&] { fields.text("n"); }, "'n' must be text, not number");
  expect_error<DataError>([&] { fields.texts("mixed"); }, "must be a list of texts, not number");
  expect_error<DataError>([&] { fields.object("n").number("x"); }, "a thing needs the field 'x'");
}

}  // namespace
}  // namespace cubcal::test
