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
    AnsweringModel model;
    return read_prediction_log(path_, {}, classes, model);
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
  EXPECT_EQ(found.outside, (std::vector<std::uint8_t>{0, 0}));  // the verdict decides over p
  ASSERT_EQ(found.verdicts.size(), 2U);
  EXPECT_EQ(found.verdicts[0], Decision::kRefer);
  EXPECT_FALSE(found.verdicts[1]);
  EXPECT_FALSE(found.all_decided());
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

/// A line as 'cubcal predict --jsonl' writes it, of a model with these hashes.
std::string answered(const std::string& weights, const std::string& decision,
                     const std::string& probabilities = R"({"odd":0.1,"benign":0.9})") {
  return R"({"class":"benign","class_index":1,"probabilities":)" + probabilities +
         R"(,"confidence":0.9,"uncertainty":0.3,"model_name":"Skin","model_version":"1",)" +
         R"("weights_hash":")" + weights + R"(","decision_hash":")" + decision + "\"}\n";
}

TEST_F(PredictionLog, ProbabilitiesNameAllClasses) {
  ClassList classes;
  EXPECT_EQ(read(answered("a", "b"), classes).predicted, (std::vector<std::uint32_t>{1}));
  EXPECT_EQ(classes.names(), (std::vector<std::string>{"odd", "benign"}));
  ClassList nameless({}, 2);
  read(answered("a", "b"), nameless);
  EXPECT_EQ(nameless.names(), (std::vector<std::string>{"odd", "benign"}));
  ClassList sorted;  // keys sorted by another program, so that the number is not theirs
  read(answered("a", "b", R"({"benign":0.9,"odd":0.1})"), sorted);
  EXPECT_EQ(sorted.names(), (std::vector<std::string>{"class 0", "benign"}));
}

TEST_F(PredictionLog, OtherClassesAreRefused) {
  ClassList classes;
  test::expect_error<DataError>(
      [&] {
        read(answered("a", "b") + answered("a", "b", R"({"cat":0.1,"benign":0.8,"dog":0.1})"),
             classes);
      },
      "line 2 of '" + path_ +
          "' has other classes than what was read before it: 3 classes (cat, benign, dog) against "
          "2 (odd, benign)");
  ClassList numbered;
  test::expect_error<DataError>(
      [&] {
        read(R"({"class":"x","class_index":0,"confidence":0.9,"uncertainty":0.3})"
             "\n"
             R"({"class":"y","class_index":0,"confidence":0.9,"uncertainty":0.3})",
             numbered);
      },
      "line 2 of '" + path_ + "' calls the class 0 'y', which was 'x' before");
}

TEST_F(PredictionLog, AnswersOfTwoModelsAreRefused) {
  const auto refuse = [&](const std::string& text, const std::string& words) {
    ClassList classes;
    test::expect_error<OtherModel>([&] { read(text, classes); }, words);
  };
  refuse(answered("aa", "bb") + answered("cc", "dd"),
         "line 2 of '" + path_ + "' is of 'Skin' 1 (weights cc, decision dd), but line 1 of '" +
             path_ + "' of 'Skin' 1 (weights aa, decision bb)");
  refuse(answered("aa", "bb") + answered("aa", "dd"), "decision dd");
  const std::string served =
      R"({"class":"benign","confidence":0.9,"uncertainty":0.3,"model":{"name":"eye","weights_hash":"ee"}})";
  refuse(answered("aa", "bb") + served, "is of 'eye' (weights ee)");
  write_file_atomically(path_, answered("aa", "bb") + served + "\n" + answered("aa", "bb"));
  for (const auto& [only, count] :
       {std::pair<std::string, std::size_t>{"eye", 1}, {"Skin", 2}, {"bb", 2}, {"x", 0}}) {
    ClassList classes;
    AnsweringModel model(only);
    EXPECT_EQ(read_prediction_log(path_, {}, classes, model).size(), count) << only;
  }
}

TEST_F(PredictionLog, CalibratedAnswersAreNotHeldAgainstOthers) {
  const auto line = [](const std::string& calibration) {
    return R"({"class":"benign","confidence":0.9,"uncertainty":0.3,"weights_hash":"aa")" +
           (calibration.empty() ? "" : ",\"calibration\":" + calibration) + "}\n";
  };
  test::expect_error<OtherCalibration>([&] { read(line("null") + line("\"dts\"")); },
                                       "line 2 of '" + path_ +
                                           "' is calibrated with dts, but line 1 of '" + path_ +
                                           "' is not calibrated");
  test::expect_error<OtherCalibration>([&] { read(line("\"ts-nll\"") + line("\"dts\"")); },
                                       "is calibrated with ts-nll");
  EXPECT_EQ(read(line("\"dts\"") + line("\"dts\"") + line("")).size(), 3U);  // older: on trust
  const std::string served =
      R"({"class":"benign","confidence":0.9,"uncertainty":0.3,"model":{"weights_hash":"aa","calibration":null}})";
  test::expect_error<OtherCalibration>([&] { read(line("\"dts\"") + served); }, "line 2");
}

TEST_F(PredictionLog, AModelWithoutAnAnswerIsNamed) {
  write_file_atomically(path_, answered("aa", "bb") + kPlain);
  ClassList classes;
  AnsweringModel model("typo");
  EXPECT_EQ(read_prediction_log(path_, {}, classes, model).size(), 0U);
  test::expect_error<ArgumentError>(
      [&] { model.check_only(); },
      "the option 'model' names 'typo', which gave no answer: the logs hold those of "
      "'Skin' 1 (weights aa, decision bb), a model");
  AnsweringModel found("Skin");
  read_prediction_log(path_, {}, classes, found);
  found.check_only();
}

TEST_F(PredictionLog, OfAnImageTheLastAnswerCounts) {
  const auto line = [](const std::string& image, const char* confidence, const char* more) {
    return R"({"image":")" + image + R"(","class":"benign","confidence":)" + confidence +
           R"(,"uncertainty":0.3)" + more + "}\n";
  };
  const std::string first = R"(,"seed":1,"passes_asked":40)";
  const std::string again = R"(,"seed":1,"passes_asked":5)";
  const Predictions found = read(line("a", "0.9", first.c_str()) + line("b", "0.8", first.c_str()) +
                                 line("a", "0.7", again.c_str()));
  EXPECT_EQ(found.confidence, (std::vector<double>{0.7, 0.8}));
  ASSERT_EQ(found.warnings.size(), 2U);
  EXPECT_NE(found.warnings[0].find("1 earlier answer does not count"), std::string::npos)
      << found.warnings[0];
  EXPECT_NE(found.warnings[1].find("from 5 and 40 passes"), std::string::npos) << found.warnings[1];
  const std::string other = R"(,"seed":2,"passes_asked":40)";
  const Predictions seeds = read(line("a", "0.9", first.c_str()) + line("b", "0.8", other.c_str()));
  ASSERT_EQ(seeds.warnings.size(), 1U);
  EXPECT_NE(seeds.warnings[0].find("seeds 1 and 2"), std::string::npos) << seeds.warnings[0];
  const char* request = R"(,"request":"r-1")";  // a service is sent other images of one name
  EXPECT_EQ(read(line("a", "0.9", request) + line("a", "0.8", request)).size(), 2U);
}

TEST_F(PredictionLog, VerdictsAreRead) {
  const auto line = [](const std::string& verdict) {
    return R"({"class":"benign","confidence":0.9,"uncertainty":0.3,"verdict":")" + verdict +
           "\"}\n";
  };
  const std::string text = line("accept") + line("refer") + line("out-of-scope");
  const Predictions found = read(text);
  EXPECT_TRUE(found.all_decided());
  EXPECT_EQ(found.outside, (std::vector<std::uint8_t>{0, 0, 1}));
  EXPECT_TRUE(found.is_referred(1, 0.325));
  EXPECT_FALSE(found.is_referred(2, 0));
  EXPECT_TRUE(read(line("accept") + line("refer")).outside.empty());
  refused(line("maybe"), "must be accept, refer or out-of-scope, not 'maybe'");
  ClassList classes({"benign", "malignant"}, 2);
  AnsweringModel model;
  write_file_atomically(path_, text);
  EXPECT_TRUE(read_prediction_log(path_, {0.05, false}, classes, model).verdicts.empty());
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
  refused(good + "[1]\n", "is not a JSON object");
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
