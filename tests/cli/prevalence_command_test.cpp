// 'cubcal prevalence' in a second process.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "cli/demo_logits.h"
#include "cli/program.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::json;

class PrevalenceCommand : public DemoLogits {
 protected:
  static void SetUpTestSuite() {
    DemoLogits::SetUpTestSuite();
    // The malignant ones of the test file five times rarer.
    LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
    const std::size_t samples = file.labels.size();
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < samples; ++i) {
      if (file.labels[i] != 1 || i % 5 == 0) kept.push_back(i);
    }
    LogitsFile rarer;
    const std::size_t passes = file.logits.shape()[0];
    rarer.logits = NdArray(DType::kF32, {passes, kept.size(), 3});
    rarer.class_names = file.class_names;
    for (std::size_t s = 0; s < passes; ++s) {
      for (std::size_t i = 0; i < kept.size(); ++i) {
        const float* row = file.logits.as<float>() + (s * samples + kept[i]) * 3;
        std::copy(row, row + 3, rarer.logits.as<float>() + (s * kept.size() + i) * 3);
      }
    }
    write_logits_file(scratch->file("rarer.npz"), rarer);
  }
  static void expect_refused(const std::vector<std::string>& arguments, int exit_code,
                             const std::string& words) {
    const Outcome result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
};

TEST_F(PrevalenceCommand, TellsSharesMetricsAndThePromise) {
  const Outcome text = run({"prevalence", "demo/val.npz", "--new", "rarer.npz", "--refer-above",
                            "0.325", "--bootstrap", "30"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* words :
       {"Assumed: a class looks the same at both places", "model, implied", "new, by EM",
        "new, by BBSE", "Condition of the confusion matrix", "weighed to the prevalence by EM",
        "new, corrected", "errors among answers accepted at U up to 0.325", "new prevalence, kept",
        "whole groups, of both files", "Convention: nats"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << " is not in " << text.out;
  }
}

TEST_F(PrevalenceCommand, FindsThatAClassIsRarer) {
  const Json json = json_of(
      {"prevalence", "demo/val.npz", "--new", "rarer.npz", "--bootstrap", "100", "--json", "-"});
  EXPECT_EQ(json["to_is"], "estimated by EM");
  for (const char* way : {"em", "bbse"}) {
    const Json& interval = json["estimate"][way]["intervals"]["malignant"];
    EXPECT_LT(json["estimate"][way]["prevalence"]["malignant"].get<double>(), 0.2) << way;
    EXPECT_LT(interval[1].get<double>(), json["labelled"]["malignant"].get<double>()) << way;
  }
  EXPECT_EQ(json["to"], json["estimate"]["em"]["prevalence"]);
  EXPECT_LT(json["corrected"]["metrics"]["nll"].get<double>(),
            json["there"]["metrics"]["nll"].get<double>());
  EXPECT_LT(json["effective_samples"].get<double>(), 400);
  EXPECT_EQ(json["warnings"], Json::array());
}

TEST_F(PrevalenceCommand, HereIsWhatEvaluateSays) {
  const Json json =
      json_of({"prevalence", "demo/val.npz", "--to", "malignant=0.02", "--json", "-"});
  const Json evaluated = json_of({"evaluate", "demo/val.npz", "--json", "-"});
  for (const auto& [key, value] : json["here"]["metrics"].items()) {
    EXPECT_EQ(value, evaluated["metrics"][key]) << key;
  }
  EXPECT_EQ(json["to"]["malignant"], 0.02);
  EXPECT_NEAR(json["to"]["benign"].get<double>() / json["to"]["other"].get<double>(),
              json["labelled"]["benign"].get<double>() / json["labelled"]["other"].get<double>(),
              1e-9);
  EXPECT_FALSE(json["here"].contains("accepted"));
  EXPECT_TRUE(json["estimate"].is_null());
}

TEST_F(PrevalenceCommand, WritesCorrectedProbabilities) {
  ASSERT_EQ(run({"prevalence", "demo/val.npz", "--to", "malignant=0.02", "--from", "equal", "-o",
                 "corrected.csv"})
                .exit_code,
            0);
  ASSERT_EQ(run({"apply", "demo/val.npz", "-o", "plain.csv"}).exit_code, 0);
  const CsvTable corrected = read_csv(scratch->file("corrected.csv"));
  const CsvTable plain = read_csv(scratch->file("plain.csv"));
  EXPECT_FALSE(corrected.has_column("epistemic"));
  const Json json =
      json_of({"prevalence", "demo/val.npz", "--to", "malignant=0.02", "--json", "-"});
  const char* names[] = {"benign", "malignant", "other"};
  for (std::size_t i = 0; i < 20; ++i) {
    double sum = 0;
    double products[3];
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string column = std::string("p ") + names[k];
      products[k] =
          std::stod(plain.rows[i][plain.column(column)]) * json["to"][names[k]].get<double>();
      sum += products[k];
    }
    for (std::size_t k = 0; k < 3; ++k) {
      const std::string column = std::string("p ") + names[k];
      EXPECT_NEAR(std::stod(corrected.rows[i][corrected.column(column)]), products[k] / sum, 1e-12);
    }
  }
  ASSERT_EQ(run({"prevalence", "demo/val.npz", "--new", "rarer.npz", "-o", "new.npz"}).exit_code,
            0);
  EXPECT_EQ(
      run({"evaluate", "new.npz", "--probabilities", "--logits-key", "probabilities"}).exit_code, 1)
      << "the new samples have no labels";
}

TEST_F(PrevalenceCommand, OptionsAreChecked) {
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& words) {
    more.insert(more.begin(), {"prevalence", "demo/val.npz"});
    expect_refused(more, code, words);
  };
  refused({}, 2, "--to, a stated prevalence, or --new");
  refused({"--to", "malignent=0.1"}, 2, "did you mean 'malignant'?");
  refused({"--to", "malignant=2"}, 2, "a share in [0, 1], not 'malignant=2'");
  refused({"--to", "malignant=0.5,benign=0.6"}, 2, "must sum to 1 at most, not to 1.1");
  refused({"--to", "malignant=0.5,benign=0.1,other=0.1"}, 2, "must sum to 1, not to 0.7");
  refused({"--to", "malignant=0.5,1=0.1"}, 2, "names the class 'malignant' twice");
  refused({"--to", "equal", "-o", "x.txt"}, 2, "must end in .npz or .csv");
  refused({"--to", "equal", "-o", "demo/val.npz"}, 2, "is also an input");
  refused({"--to", "equal", "--refer-above", "-1"}, 2, "must be at least 0, not -1");
  refused({"--new", "nowhere.npz"}, 1, "cannot open 'nowhere.npz'");
  expect_refused({"prevalence", "rarer.npz", "--to", "equal"}, 1, "has no array 'labels'");
}

TEST_F(PrevalenceCommand, WarnsOfAWrongOriginAndOfFewSamples) {
  const Outcome text =
      run({"prevalence", "demo/val.npz", "--to", "other=0.99", "--from", "labels"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  EXPECT_NE(text.out.find("Warning: The 400 samples count as "), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("that prevalence is wrong, or they are not calibrated"),
            std::string::npos)
      << text.out;
}

}  // namespace
}  // namespace cubcal::test
