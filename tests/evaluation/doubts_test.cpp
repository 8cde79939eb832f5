#include "cubcal/evaluation/doubts.h"

#include <gtest/gtest.h>

namespace cubcal {
namespace {

LogitsFile file_of(std::size_t passes, std::size_t classes, std::vector<std::int64_t> labels) {
  LogitsFile file;
  file.path = "test.npz";
  file.logits = NdArray(DType::kF32, {passes, labels.size(), classes});
  for (std::size_t i = 0; i < file.logits.size(); ++i) {
    file.logits.as<float>()[i] = static_cast<float>(i % 7) + static_cast<float>(i) / 100;
  }
  file.has_labels = true;
  file.labels = std::move(labels);
  return file;
}

TEST(Doubts, ThereAreNoneOfAUsualFile) {
  EXPECT_TRUE(doubts_about(file_of(4, 3, {0, 1, 2, 1})).empty());
  EXPECT_TRUE(doubts_about(file_of(1, 3, {0, 1, 2, 1})).empty()) << "one pass is no repetition";
}

TEST(Doubts, PassesThatAreAllTheSame) {
  LogitsFile file = file_of(3, 3, {0, 1, 2, 1});
  const std::size_t each = file.logits.size() / 3;
  for (std::size_t i = each; i < file.logits.size(); ++i) {
    file.logits.as<float>()[i] = file.logits.as<float>()[i - each];
  }
  const std::vector<std::string> doubts = doubts_about(file);
  ASSERT_EQ(doubts.size(), 1U);
  EXPECT_EQ(doubts[0].find("the 3 passes of 'test.npz' are all the same"), 0U) << doubts[0];
  file.logits.as<float>()[3 * each - 1] += 1;
  EXPECT_TRUE(doubts_about(file).empty()) << "one number differs";
}

TEST(Doubts, LabelsOfFewOfTheClasses) {
  LogitsFile file = file_of(2, 6, {0, 1, 1, 0});
  ASSERT_EQ(doubts_about(file).size(), 1U);
  EXPECT_EQ(doubts_about(file)[0],
            "the labels of 'test.npz' name 2 of 6 classes: are its axes [passes, samples, "
            "classes]?");
  file.labels = {0, 1, 2, 0};
  EXPECT_TRUE(doubts_about(file).empty());
  file.has_labels = false;
  file.labels.clear();
  EXPECT_TRUE(doubts_about(file).empty()) << "outliers have no labels";
}

}  // namespace
}  // namespace cubcal
