#include "cubcal/monitor/prediction_log.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "expect_error.h"

namespace cubcal {
namespace {

class PredictionLog : public testing::Test {
 protected:
  Predictions read(const std::string& text, ClassList& classes) {
    write_file_atomically(path_, text);
    EXPECT_TRUE(is_prediction_log(path_));
    return read_prediction_log(path_, 0.05, classes);
  }
  Predictions read(const std::string& text) {
    ClassList classes({"benign", "malignant"}, 2);
    return read(text, classes);
  }
  void refused(const std::string& text, const std::string& words) {
    test::expect_error<DataError>([&] { read(text); }, words);
  }

  test::ScratchFolder scratch_;
  const std::string path_ = scratch_.file("log.jsonl");
};

constexpr const char* kPlain = R"({"class":"benign","confidence":0.9,"uncertainty":0.3})";

TEST_F(PredictionLog, LinesWithAllFields) {
  const Predictions found = read(
      R"({"image":"a.png","class":"malignant","class_index":1,"probabilities":{"benign":0.1,"malignant":0.9},"confidence":0.9,"uncertainty":{"total":0.3,"aleatoric":0.2,"epistemic":0.1},"ood_p_value":0.05,"verdict":"refer","group":"p7","label":"benign"})"
      "\n\n"
      R"({"class_index":0,"confidence":1,"uncertainty":0,"ood_p_value":0.5,"group":8,"label":null})"
      "\n");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.predicted, (std::vector<std::uint32_t>{1, 0}));
  EXPECT_EQ(found.confidence, (std::vector<double>{0.9, 1}));
  EXPECT_EQ(found.uncertainty, (std::vector<double>{0.3, 0}));
  EXPECT_EQ(found.outside, (std::vector<std::uint8_t>{1, 0}));
  EXPECT_EQ(found.groups, (std::vector<std::string>{"p7", "8"}));
  EXPECT_EQ(found.labels, (std::vector<std::int64_t>{0, -1}));
}

TEST_F(PredictionLog, DocumentsOfPredict) {
  const std::string document = R"({
    "model": "resnet18", "policy": {"alpha": 0.05},
    "predictions": [)" + std::string(kPlain) +
                               ",\n" + kPlain + R"(],
    "unreadable": []
  })";
  EXPECT_EQ(read(document).size(), 2U);
  const std::string line = R"({"predictions":[)" + std::string(kPlain) + "]}\n";
  EXPECT_EQ(read(line + line).size(), 2U);  // one document to a line
}

TEST_F(PredictionLog, WhatIsNotThereIsEmpty) {
  const Predictions found = read(kPlain);
  EXPECT_TRUE(found.outside.empty());
  EXPECT_TRUE(found.groups.empty());
  EXPECT_TRUE(found.labels.empty());
  EXPECT_EQ(read("\xEF\xBB\xBF" + std::string(kPlain) + "\r\n" + kPlain + "\r\n").size(), 2U);
  EXPECT_EQ(read("").size(), 0U);
  EXPECT_EQ(read(" \n\n").size(), 0U);
  EXPECT_EQ(read(R"({"predictions":[]})").size(), 0U);
}

TEST_F(PredictionLog, AnOpenListOfClassesGrows) {
  ClassList classes;
  read(std::string(kPlain) + "\n" + R"({"class":"odd","confidence":0.9,"uncertainty":0.3})",
       classes);
  EXPECT_EQ(classes.names(), (std::vector<std::string>{"benign", "odd"}));
  ClassList numbers;
  read(R"({"class_index":2,"confidence":0.9,"uncertainty":0.3})", numbers);
  EXPECT_EQ(numbers.names(), (std::vector<std::string>{"class 0", "class 1", "class 2"}));
}

TEST_F(PredictionLog, MistakesNameTheLine) {
  const std::string good = std::string(kPlain) + "\n";
  refused(good + R"({"class":"benign","uncertainty":0.3})", "line 2 of '" + path_ + "'");
  refused(good + R"({"class":"benign","uncertainty":0.3})", "'confidence'");
  refused(good + R"({"class":"odd","confidence":0.9,"uncertainty":0.3})",
          "has the class 'odd', which is not among the 2 of the reference");
  refused(R"({"class_index":2,"confidence":0.9,"uncertainty":0.3})", "has the class 2");
  refused(R"({"confidence":0.9,"uncertainty":0.3})", "needs the field 'class' or 'class_index'");
  refused(R"({"class":"benign","confidence":1.5,"uncertainty":0.3})", "in [0, 1]");
  refused(R"({"class":"benign","confidence":0.5,"uncertainty":-1})", "from 0 on");
  refused(R"({"class":"benign","confidence":"high","uncertainty":1})", "'confidence'");
  refused(R"({"class":"benign","confidence":0.5,"uncertainty":{}})", "'total'");
  refused(good + "{oops\n", "line 2");
  refused(good + "[1]\n", "is no JSON object");
  refused(R"({"predictions":5})", "no list");
  refused("{\n", "'" + path_ + "'");
  refused("{\n\"predictions\": []}\n{\n}\n", "one document to a file");
  refused("\n\n" + good + "{}\n", "line 4 of");
  refused(good + R"({"class":"benign","confidence":0.9,"uncertainty":0.3,"ood_p_value":0.2})",
          "for 1 of 2 predictions");
  ClassList nameless({}, 2);
  test::expect_error<DataError>([&] { read(kPlain, nameless); }, "'class_index' is needed");
}

}  // namespace
}  // namespace cubcal
