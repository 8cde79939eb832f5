#include "cubcal/io/json_fields.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

const JsonFields::Json kThing = JsonFields::Json::parse(
    R"({"n": 1.5, "count": 3, "below": -2, "word": "a", "words": ["a", "b"], "none": null,
        "inside": {"n": 2}, "mixed": ["a", 1], "yes": true, "numbers": [1, 2.5],
        "list": [{"n": 1}, {"n": 2}]})");

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
  EXPECT_TRUE(fields.flag("yes"));
  EXPECT_EQ(fields.numbers("numbers"), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(fields.named_numbers("inside"), (std::map<std::string, double>{{"n", 2}}));
  ASSERT_EQ(fields.objects("list").size(), 2U);
  EXPECT_EQ(fields.objects("list")[1].number("n"), 2);
  EXPECT_TRUE(fields.has("none"));
  EXPECT_FALSE(fields.knows("none"));
  EXPECT_TRUE(fields.knows("n"));
  EXPECT_FALSE(fields.has("absent"));
}

TEST(JsonFields, WhatIsAbsentOrNullLeavesAValueAsItIs) {
  const JsonFields fields(kThing, "thing");
  std::string word = "kept";
  std::optional<std::int64_t> below;
  std::optional<double> none;
  std::size_t count = 9;
  fields.read("absent", word);
  fields.read("none", none);
  EXPECT_EQ(word, "kept");
  EXPECT_FALSE(none);
  fields.read("word", word);
  fields.read("below", below);
  fields.read("count", count);
  EXPECT_EQ(word, "a");
  EXPECT_EQ(below, -2);
  EXPECT_EQ(count, 3U);
  EXPECT_FALSE(fields.known_object("absent"));
  EXPECT_FALSE(fields.known_object("none"));
  EXPECT_EQ(fields.known_object("inside")->number("n"), 2);
  EXPECT_TRUE(fields.objects("absent").empty());
  expect_error<DataError>([&] { fields.read("n", word); }, "'n' must be text, not number 1.5");
}

TEST(JsonFields, ErrorsNameTheFieldAndItsOwner) {
  const JsonFields fields(kThing, "thing");
  expect_error<DataError>([&] { fields.text("absent"); }, "a thing needs the field 'absent'");
  expect_error<DataError>([&] { fields.number("word"); },
                          "the thing's field 'word' must be a number, not string");
  expect_error<DataError>([&] { fields.count("below"); },
                          "'below' must be a whole number from 0 on, not number -2");
  EXPECT_EQ(fields.count("count", 3, 3), 3U);
  expect_error<DataError>([&] { fields.count("count", 0, 2); },
                          "'count' must be a whole number from 0 to 2, not number 3");
  expect_error<DataError>([&] { fields.count("count", 4, 9); },
                          "'count' must be a whole number from 4 to 9, not number 3");
  expect_error<DataError>([&] { fields.whole_number("n"); }, "'n' must be a whole number");
  expect_error<DataError>([&] { fields.text("n"); }, "'n' must be text, not number");
  expect_error<DataError>([&] { fields.texts("mixed"); }, "must be a list of texts, not number");
  expect_error<DataError>([&] { fields.object("n").number("x"); }, "a thing needs the field 'x'");
  expect_error<DataError>([&] { fields.flag("n"); }, "'n' must be true or false, not number 1.5");
  expect_error<DataError>([&] { fields.numbers("mixed"); },
                          "'mixed' must be a list of numbers, not string");
  expect_error<DataError>([&] { fields.named_numbers("words"); },
                          "'words' must be an object of numbers, not array");
  expect_error<DataError>([&] { fields.known_object("word"); },
                          "'word' must be an object, not string");
  expect_error<DataError>([&] { fields.objects("words"); },
                          "'words' must be a list of objects, not string");
}

}  // namespace
}  // namespace cubcal::test
