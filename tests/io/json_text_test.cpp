#include "cubcal/io/json_text.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal {
namespace {

using test::expect_error;

std::string repeated(const std::string& part, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += part;
  return text;
}

std::string object_of_keys(std::size_t count) {
  std::string text = "{";
  for (std::size_t i = 0; i < count; ++i) {
    text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  }
  return text + "}";
}

TEST(JsonText, KeepsTheOrderOfKeys) {
  EXPECT_EQ(parse_json(R"({"b": 1, "a": [true, null, "x"]})", "it").dump(),
            R"({"b":1,"a":[true,null,"x"]})");
}

TEST(JsonText, DepthIsLimitedForListsAndObjects) {
  EXPECT_NO_THROW(parse_json(repeated("[", 32) + repeated("]", 32), "it"));
  for (const std::size_t depth : {33, 200000}) {
    expect_error<DataError>(
        [&] { parse_json(repeated("[", depth) + repeated("]", depth), "the file"); },
        "the file is nested too deeply: at most 32 levels are accepted");
    expect_error<DataError>([&] { parse_json(repeated("{\"a\":", depth), "it"); },
                            "nested too deeply");
  }
}

TEST(JsonText, KeysOfAnObjectAreLimited) {
  EXPECT_EQ(parse_json(object_of_keys(1024), "it").size(), 1024U);
  expect_error<DataError>([] { parse_json(object_of_keys(400000), "it"); },
                          "it has an object of more than 1024 keys");
}

TEST(JsonText, ValuesOfADocumentAreLimited) {
  expect_error<DataError>([] { parse_json("[" + repeated("[],", 1000000) + "0]", "it"); },
                          "it holds more than 1000000 values");
  const std::string object = object_of_keys(1024) + ",";
  expect_error<DataError>([&] { parse_json("[" + repeated(object, 1000) + "0]", "it"); },
                          "it holds more than 1000000 values");
}

TEST(JsonText, AKeyStandsOnceInAnObject) {
  EXPECT_NO_THROW(parse_json(R"([{"a": {"a": 1}}, {"a": 2}])", "it"));
  expect_error<DataError>([] { parse_json(R"({"a": {"b": 1}, "a": 2})", "it"); },
                          "it has the key 'a' twice");
}

TEST(JsonText, SaysWhereItIsNoJson) {
  expect_error<DataError>([] { parse_json("{\"a\": 1,}", "it"); },
                          "it is not valid JSON at byte 9");
  for (const char* text : {"", "[1, 2", "nan", "{\"a\": 1e999}", "\"\xff\"", "[] []"}) {
    expect_error<DataError>([&] { parse_json(text, "it"); }, "it is not valid JSON");
  }
}

TEST(JsonText, WhatFollowsANulIsNotPassedOver) {
  expect_error<DataError>([] { parse_json(std::string("{}\0garbage", 10), "it"); },
                          "it is not valid JSON at byte 3");
}

TEST(JsonText, AFileIsNamed) {
  const test::TemporaryFolder folder;
  write_file_atomically(folder.file("a.json"), "[");
  expect_error<DataError>([&] { load_json(folder.file("a.json"), 100); },
                          "a.json' is not valid JSON");
  write_file_atomically(folder.file("a.json"), std::string(101, ' '));
  expect_error<DataError>([&] { load_json(folder.file("a.json"), 100); },
                          "more than the 100 bytes");
}

}  // namespace
}  // namespace cubcal
