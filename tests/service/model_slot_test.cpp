#include "cubcal/service/model_slot.h"

#include <gtest/gtest.h>

#include "expect_error.h"
#include "service/fake_model.h"

namespace cubcal::test {
namespace {

class ModelSlotTest : public testing::Test {
 protected:
  std::string hash_ = "a";
  std::vector<std::string> classes_ = {"dark", "middle", "bright"};
  ModelSlot slot_{"skin",
                  [this]() -> std::shared_ptr<ServedModel> {
                    if (hash_.empty()) throw IoError("the folder is gone");
                    return std::make_shared<FakeModel>(hash_, classes_);
                  },
                  {},
                  {}};

  std::string answering() const { return slot_.active().model->facts().weights_hash; }
  std::vector<std::size_t> loaded() const {
    std::vector<std::size_t> numbers;
    for (const ModelVersion& each : slot_.versions()) numbers.push_back(each.number);
    return numbers;
  }
};

TEST_F(ModelSlotTest, LoadedIsNotYetPromoted) {
  EXPECT_EQ(slot_.active().number, 1U);
  hash_ = "b";
  EXPECT_EQ(slot_.load().number, 2U);
  EXPECT_EQ(answering(), "a");
  slot_.promote(2);
  EXPECT_EQ(answering(), "b");
  slot_.roll_back();
  EXPECT_EQ(answering(), "a");
  slot_.roll_back();
  EXPECT_EQ(answering(), "b");
}

TEST_F(ModelSlotTest, WhatHasNotChangedIsNotLoadedTwice) {
  EXPECT_EQ(slot_.load().number, 1U);
  EXPECT_EQ(loaded(), (std::vector<std::size_t>{1}));
}

TEST_F(ModelSlotTest, KeepsTheOneThatAnswersTheOneBeforeAndTheNewest) {
  for (const char* hash : {"b", "c", "d"}) {
    hash_ = hash;
    slot_.load();
  }
  EXPECT_EQ(loaded(), (std::vector<std::size_t>{1, 4}));
  slot_.promote(4);
  hash_ = "e";
  slot_.load();
  EXPECT_EQ(loaded(), (std::vector<std::size_t>{1, 4, 5}));
}

TEST_F(ModelSlotTest, OtherClassesAreNoVersion) {
  hash_ = "b";
  classes_ = {"dark", "bright", "middle"};
  expect_error<DataError>([&] { slot_.load(); }, "class 1 is 'middle' against 'bright'");
  classes_ = {"cat", "dog"};
  expect_error<DataError>([&] { slot_.load(); },
                          "3 classes (dark, middle, bright) against 2 (cat, dog)");
  EXPECT_EQ(loaded(), (std::vector<std::size_t>{1}));
  EXPECT_EQ(answering(), "a");
}

TEST_F(ModelSlotTest, AFailureChangesNothing) {
  hash_ = "";
  EXPECT_THROW(slot_.load(), IoError);
  EXPECT_EQ(loaded(), (std::vector<std::size_t>{1}));
  EXPECT_THROW(slot_.promote(7), DataError);
  EXPECT_THROW(slot_.roll_back(), DataError);
  EXPECT_EQ(answering(), "a");
}

}  // namespace
}  // namespace cubcal::test
