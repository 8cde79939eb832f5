// What 'evaluate' and its neighbours say beyond the plain metrics, each in a second process.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/demo_logits.h"
#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::json;

class EvaluationCommands : public DemoLogits {
 protected:
  static void expect_words(const std::string& text, const std::vector<std::string>& words) {
    for (const std::string& word : words) {
      EXPECT_NE(text.find(word), std::string::npos) << word << " is not in " << text;
    }
  }
  /// One sentence on standard error, nothing on standard output.
  static void expect_refused(const std::vector<std::string>& arguments, int exit_code,
                             const std::string& words) {
    const Outcome result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }
};

TEST_F(EvaluationCommands, ClinicalMetricsAreShownWhereAskedFor) {
  EXPECT_EQ(run({"evaluate", "demo/test.npz"}).out.find("AUROC"), std::string::npos);
  const Outcome text =
      run({"evaluate", "demo/test.npz", "--clinical", "--threshold", "0.3", "--at-sensitivity",
           "0.95", "--at-specificity", "0.9", "--prevalence", "malignant=0.02"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  expect_words(text.out,
               {"AUROC, mean of classes", "Cohen's kappa", "calibration slope",
                "its probability is at least 0.3", "of sensitivity 95%", "of specificity 90%",
                "PPV and NPV where classes have these shares: malignant 2%; the other classes "
                "share the rest",
                "Answers by label"});
}

TEST_F(EvaluationCommands, ClinicalJsonHasValuesIntervalsAndPoints) {
  const Json plain = json_of({"evaluate", "demo/test.npz", "--json", "-"});
  EXPECT_FALSE(plain.contains("clinical"));
  const Json json =
      json_of({"evaluate", "demo/test.npz", "--clinical", "--at-sensitivity", "0.9", "--prevalence",
               "malignant=0.02", "--prevalence", "benign=0.9", "--bootstrap", "50", "--json", "-"});
  const Json& clinical = json["clinical"];
  EXPECT_EQ(clinical["metrics"].size(), 14U);
  EXPECT_EQ(clinical["intervals"].size(), 14U);
  for (const auto& [key, value] : clinical["metrics"].items()) {
    const Json& interval = clinical["intervals"][key];
    EXPECT_LE(interval[0].get<double>(), interval[1].get<double>()) << key;
    EXPECT_TRUE(value.is_number()) << key;
  }
  ASSERT_EQ(clinical["operating_points"].size(), 2U);
  EXPECT_EQ(clinical["operating_points"][0]["rule"], "answer");
  const Json& point = clinical["operating_points"][1];
  EXPECT_EQ(point["rule"], "sensitivity");
  EXPECT_EQ(point["level"], 0.9);
  for (const Json& row : point["per_class"]) {
    EXPECT_GE(row["sensitivity"].get<double>(), 0.9);
    const Json stated = row["name"] == "malignant" ? Json(0.02)
                        : row["name"] == "benign"  ? Json(0.9)
                                                   : Json();
    EXPECT_EQ(row["prevalence"], stated);
    EXPECT_EQ(row["intervals"]["ppv"].size(), 2U);
  }
  // The recall of the plain table is the sensitivity of the answers.
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(clinical["operating_points"][0]["per_class"][k]["sensitivity"],
              json["per_class"][k]["recall"]);
    EXPECT_NEAR(clinical["confusion"]["shares"][k][k].get<double>(),
                json["per_class"][k]["recall"].get<double>(), 1e-12);
  }
}

TEST_F(EvaluationCommands, ClinicalOptionsAreChecked) {
  const std::vector<std::string> base{"evaluate", "demo/test.npz"};
  const auto refused = [&](std::vector<std::string> more, const std::string& words) {
    more.insert(more.begin(), base.begin(), base.end());
    expect_refused(more, 2, words);
  };
  refused({"--threshold", "0.5"}, "--threshold requires --clinical");
  refused({"--clinical", "--threshold", "1.5"}, "the threshold must be in [0, 1], not 1.5");
  refused({"--clinical", "--at-sensitivity", "0"}, "the sensitivity wanted");
  refused({"--clinical", "--at-specificity", "95"}, "the specificity wanted");
  refused({"--clinical", "--prevalence", "often"},
          "--prevalence takes a share in [0, 1] or CLASS=SHARE, not 'often'");
  refused({"--clinical", "--prevalence", "0.1", "--prevalence", "malignant=0.1"},
          "CLASS=SHARE of one population, not both");
  refused({"--clinical", "--prevalence", "benign=0.9", "--prevalence", "malignant=0.2"},
          "1.1 together, more than 1");
  refused({"--clinical", "--prevalence", "malignent=0.1"},
          "the class 'malignent', which is not among the 3 classes; did you mean 'malignant'?");
}

TEST_F(EvaluationCommands, SaysWhyAnIntervalDoesNotHoldItsValue) {
  const char* words = "An interval that does not hold its value";
  const std::vector<std::string> base{"evaluate", "demo/test.npz", "--bootstrap", "100"};
  std::vector<std::string> clinical = base;
  clinical.insert(clinical.end(), {"--clinical", "--json", "-"});
  const Json json = json_of(clinical);
  const Json& found = json["clinical"];
  ASSERT_LT(found["metrics"]["adaptive_ece"].get<double>(),
            found["intervals"]["adaptive_ece"][0].get<double>());
  clinical.resize(base.size() + 1);
  const Outcome told = run(clinical);
  EXPECT_NE(told.out.find(words), std::string::npos) << told.out;
  EXPECT_EQ(run(base).out.find(words), std::string::npos) << "all of these hold theirs";
  const std::vector<std::string> two{"evaluate",    "demo/test.npz", "demo/test.npz",
                                     "--bootstrap", "100",           "--clinical"};
  EXPECT_NE(run(two).out.find(words), std::string::npos);
}

TEST_F(EvaluationCommands, ConformalSetsHoldTheTrueClass) {
  for (const char* score : {"lac", "aps", "raps"}) {
    const Json json = json_of(
        {"conformal", "demo/val.npz", "--test", "demo/test.npz", "--score", score, "--json", "-"});
    const Json& covered = json["overall"]["covered"];
    EXPECT_GE(covered["interval"][1].get<double>(), 0.9) << score;
    EXPECT_GE(covered["count"].get<int>(), json["forecast"]["covered_low"].get<int>()) << score;
    EXPECT_EQ(json["cells"].size(), 1U);
    EXPECT_EQ(json["tables"]["label"].size(), 3U);
  }
  const Outcome text =
      run({"conformal", "demo/val.npz", "--test", "demo/test.npz", "--by", "class"});
  expect_words(text.out, {"promised: the true class is in 90% of the sets at least, of each class",
                          "malignant", "Sets by label", "right of one class %"});
}

TEST_F(EvaluationCommands, ConformalSaysWherePromisesAreMissed) {
  LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
  std::size_t others = 0;
  for (std::int64_t& label : file.labels) {  // half of class 0 are called class 2
    if (label == 0 && others++ % 2 == 0) label = 2;
  }
  write_logits_file(scratch->file("mixed_up.npz"), file);
  const std::vector<std::string> base{"conformal", "demo/val.npz", "--test", "mixed_up.npz"};
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  expect_words(run(with({"--by", "class"})).out,
               {"The promise is missed: 90% of sets were to hold the true class, and ",
                " of all do.", " of those of label other do."});
  const Json by_class = json_of(with({"--by", "class", "--json", "-"}));
  ASSERT_EQ(by_class["missed"].size(), 2U) << by_class["missed"].dump();
  EXPECT_TRUE(by_class["missed"][0]["by"].is_null());
  EXPECT_EQ(by_class["missed"][1], (Json{{"by", "label"}, {"name", "other"}}));
  EXPECT_EQ(json_of(with({"--json", "-"}))["missed"].size(), 1U) << "promised for all alone";
  const Outcome kept = run({"conformal", "demo/val.npz", "--test", "demo/test.npz"});
  EXPECT_EQ(kept.out.find("missed"), std::string::npos) << kept.out;
  EXPECT_EQ(kept.err, "");
}

TEST_F(EvaluationCommands, TestingOnWhatWasFittedOnIsTold) {
  std::filesystem::copy_file(scratch->file("demo/val.npz"), scratch->file("val_copy.npz"));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"conformal", "demo/val.npz", "--test", "val_copy.npz"},
        {"calibrate", "demo/val.npz", "--method", "ts-nll", "-o", "t.json", "--test",
         "val_copy.npz"}}) {
    const Outcome told = run(command);
    EXPECT_EQ(told.exit_code, 0) << told.err;
    EXPECT_EQ(told.err,
              "cubcal: warning: 'val_copy.npz' holds the samples of 'demo/val.npz', which are "
              "fitted on: what is measured there is too good, so test on others\n");
  }
}

TEST_F(EvaluationCommands, ConformalTellsOfTemperaturesFittedOnItsSamples) {
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "--method", "ts-nll", "-o", "on_val.json"}).exit_code,
            0);
  const Outcome told =
      run({"conformal", "demo/val.npz", "--test", "demo/test.npz", "--calibration", "on_val.json"});
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_EQ(told.err,
            "cubcal: warning: the calibration 'on_val.json' was fitted on the samples of "
            "'demo/val.npz': the sets then promise more than they keep, so fit it on other "
            "samples\n");
  Json older = Json::parse(contents_of(scratch->path() / "on_val.json"));
  older["fitted_on"].erase("data_hash");
  write_file_atomically(scratch->file("older.json"), older.dump());
  EXPECT_EQ(
      run({"conformal", "demo/val.npz", "--test", "demo/test.npz", "--calibration", "older.json"})
          .err,
      "");
}

TEST_F(EvaluationCommands, CalibrateSaysWhereFoldsFellBack) {
  ASSERT_EQ(run({"example", "--out", "full"}).exit_code, 0);
  const Outcome result = run({"calibrate", "full/val.npz", "-o", "full/cal.json"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("of 5 folds nothing better kept the guard, so that its held-out "
                            "column is of T = 1 there."),
            std::string::npos)
      << result.out;
}

TEST_F(EvaluationCommands, ConformalSetsByColumnAndAsCsv) {
  for (const char* name : {"val", "test"}) {
    LogitsFile file = read_logits_file(scratch->file("demo/" + std::string(name) + ".npz"));
    file.columns = {{"site", {}}, {"sex", {}}};
    for (std::size_t i = 0; i < file.labels.size(); ++i) {
      file.columns[0].values.push_back(i % 4 == 0 ? "north" : "south");
      file.columns[1].values.push_back(i % 2 == 0 ? "f" : "m");
    }
    if (std::string(name) == "test") file.columns[0].values[0] = "elsewhere";
    write_logits_file(scratch->file(std::string(name) + "_columns.npz"), file);
  }
  const Json json = json_of({"conformal", "val_columns.npz", "--test", "test_columns.npz", "--by",
                             "site", "--subgroups", "sex", "-o", "sets.csv", "--json", "-"});
  EXPECT_EQ(json["by_column"], "site");
  EXPECT_EQ(json["cells"].size(), 2U);
  EXPECT_TRUE(json["forecast"].is_null());
  EXPECT_EQ(json["tables"]["site"].size(), 3U);
  EXPECT_EQ(json["tables"]["sex"][0]["name"], "f");
  const CsvTable table = read_csv(scratch->file("sets.csv"));
  ASSERT_EQ(table.rows.size(), 400U);
  EXPECT_EQ(table.rows[0][table.column("set")], "benign|malignant|other") << "of an unseen site";
  EXPECT_EQ(table.rows[0][table.column("size")], "3");
}

TEST_F(EvaluationCommands, ConformalTellsOfTooFewSamples) {
  const Outcome text = run({"conformal", "demo/val.npz", "--test", "demo/test.npz", "--by", "class",
                            "--alpha", "0.0005"});
  EXPECT_EQ(text.exit_code, 0) << text.err;
  expect_words(text.out, {"none: never ruled out", "Fewer than 1999 calibration samples"});
}

TEST_F(EvaluationCommands, ConformalOptionsAreChecked) {
  const std::vector<std::string> base{"conformal", "demo/val.npz", "--test", "demo/test.npz"};
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& words) {
    more.insert(more.begin(), base.begin(), base.end());
    expect_refused(more, code, words);
  };
  refused({"--alpha", "1"}, 2, "alpha must be in (0, 1), not 1");
  refused({"--score", "thr"}, 2, "the conformal score must be lac, aps or raps, not 'thr'");
  refused({"--penalty", "-1"}, 2, "the penalty");
  refused({"--by", "clinic"}, 1,
          "has no array 'column_clinic' [N]; its columns are: sex, site, age");
  refused({"--json", "demo/val.npz"}, 2, "is also an input");
  refused({"-o", "demo/test.npz"}, 2, "is also an input");
  expect_refused({"conformal", "demo/val.npz"}, 2, "--test is required");
}

TEST_F(EvaluationCommands, SeveralFilesMakeOneTable) {
  const Outcome text = run({"evaluate", "demo/val.npz", "demo/test.npz", "--clinical"});
  expect_words(text.out, {"'demo/test.npz' is not of the same images as 'demo/val.npz'"});
  const Outcome same = run({"evaluate", "demo/test.npz", "demo/test.npz"});
  EXPECT_EQ(same.out.find("same images"), std::string::npos) << same.out;
  EXPECT_EQ(text.exit_code, 0) << text.err;
  expect_words(text.out, {"demo/val.npz  demo/test.npz", "accuracy (%)", "Cohen's kappa"});
  const Json both = json_of({"evaluate", "demo/val.npz", "demo/test.npz", "--json", "-"});
  ASSERT_EQ(both["evaluations"].size(), 2U);
  EXPECT_EQ(both["evaluations"][1]["file"], "demo/test.npz");
  EXPECT_EQ(both["evaluations"][1]["metrics"],
            json_of({"evaluate", "demo/test.npz", "--json", "-"})["metrics"]);
  expect_refused({"evaluate", "demo/val.npz", "demo/test.npz", "--ood", "demo/val.npz"}, 2,
                 "--ood goes with one file, but 2 are named");
  expect_refused({"evaluate", "-", "-"}, 2, "can be read once only");
}

TEST_F(EvaluationCommands, TablesForPapersAndSpreadsheets) {
  const Outcome quiet = run({"evaluate", "demo/test.npz", "--bootstrap", "20", "--csv", "t.csv",
                             "--markdown", "t.md", "--latex", "t.tex"});
  EXPECT_EQ(quiet.exit_code, 0) << quiet.err;
  const CsvTable table = read_csv(scratch->file("t.csv"));
  const Json json = json_of({"evaluate", "demo/test.npz", "--bootstrap", "20", "--json", "-"});
  ASSERT_EQ(table.rows.size(), json["metrics"].size());
  for (const std::vector<std::string>& row : table.rows) {
    EXPECT_EQ(std::stod(row[table.column("value")]),
              json["metrics"][row[table.column("metric")]].get<double>());
    EXPECT_EQ(std::stod(row[table.column("high")]),
              json["intervals"][row[table.column("metric")]][1].get<double>());
  }
  expect_words(contents_of(scratch->path() / "t.md"),
               {"|  | demo/test.npz |\n|---|---:|\n| accuracy (%) | ", " ["});
  expect_words(contents_of(scratch->path() / "t.tex"),
               {"\\begin{tabular}{lr}\n\\toprule\n", "accuracy (\\%) & ", "$\\Delta$U",
                "\\bottomrule\n\\end{tabular}\n"});
  EXPECT_EQ(run({"evaluate", "demo/test.npz", "--latex", "-"}).out.rfind("\\begin{tabular}", 0),
            0U);
  expect_refused({"evaluate", "demo/test.npz", "--json", "-", "--csv", "-"}, 2,
                 "only one of --json, --csv, --markdown and --latex can be '-'");
  expect_refused({"evaluate", "demo/test.npz", "--csv", "demo/test.npz"}, 2, "is also an input");
}

TEST_F(EvaluationCommands, CompareSeveralModelsCorrectsThePValues) {
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "--method", "ts-nll", "-o", "ts.json"}).exit_code, 0);
  ASSERT_EQ(run({"apply", "demo/test.npz", "--calibration", "ts.json", "-o", "ts.csv"}).exit_code,
            0);
  ASSERT_EQ(run({"apply", "demo/test.npz", "-o", "plain.csv"}).exit_code, 0);
  const std::vector<std::string> base{"compare",     "plain.csv", "ts.csv",         "plain.csv",
                                      "--bootstrap", "99",        "--probabilities"};
  std::vector<std::string> as_json = base;
  as_json.insert(as_json.end(), {"--json", "-", "--csv", "compare.csv"});
  const Json json = json_of(as_json);
  ASSERT_EQ(json["comparisons"].size(), 2U);
  EXPECT_EQ(json["comparisons"][0]["p_values"], json["p_values"]);
  const Json& same = json["comparisons"][1];
  EXPECT_EQ(same["p_values"]["nll"], 1.0) << "of a file with itself";
  const double p = json["p_values"]["nll"];
  EXPECT_GE(p, 0.02) << "the smallest of 99 replicates";
  EXPECT_NEAR(json["comparisons"][0]["holm_p_values"]["nll"].get<double>(), std::min(1.0, 2 * p),
              1e-12);
  EXPECT_EQ(read_csv(scratch->file("compare.csv")).rows.size(), 2 * json["a"].size());
  const Outcome text = run(base);
  expect_words(text.out, {"C  plain.csv", "p (Holm)", "C - A", "Holm's correction"});
  const Json two =
      json_of({"compare", "demo/test.npz", "demo/test.npz", "--bootstrap", "20", "--json", "-"});
  EXPECT_FALSE(two.contains("comparisons"));
}

// Every command reads files through the same function; these are the ways into it.
TEST_F(EvaluationCommands, LogitsFromTorchSave) {
  const std::string folder = std::string(CUBCAL_TEST_DATA) + "/torch/";
  const nlohmann::json whole = json_of({"evaluate", folder + "whole.pt", "--json", "-"});
  EXPECT_EQ(whole["samples"], 4);
  EXPECT_EQ(whole["per_class"][1]["name"], "mel");
  const nlohmann::json keys = json_of(
      {"evaluate", folder + "keys.pt", "--logits-key", "z", "--labels-key", "y", "--json", "-"});
  EXPECT_EQ(keys["metrics"], whole["metrics"]);
  const nlohmann::json labels =
      json_of({"evaluate", folder + "tensor.pt", "--labels", folder + "labels.pt", "--json", "-"});
  EXPECT_EQ(labels["metrics"], whole["metrics"]);
  const Outcome code = run({"evaluate", folder + "code.pt"});
  EXPECT_EQ(code.exit_code, 1);
  EXPECT_NE(code.err.find("loading runs no code"), std::string::npos) << code.err;
  EXPECT_EQ(code.out, "");
}

TEST_F(EvaluationCommands, LogitsFromCsvAndStandardInput) {
  ASSERT_EQ(run({"apply", "demo/test.npz", "-o", "p.csv"}).exit_code, 0);
  const Json from_csv = json_of({"evaluate", "p.csv", "--probabilities", "--json", "-"});
  const Json direct = json_of({"evaluate", "demo/test.npz", "--json", "-"});
  EXPECT_EQ(from_csv["metrics"]["accuracy"], direct["metrics"]["accuracy"]);
  EXPECT_NEAR(from_csv["metrics"]["nll"].get<double>(), direct["metrics"]["nll"].get<double>(),
              1e-9);
  expect_refused({"evaluate", "p.csv"}, 1, "give --probabilities");
  const std::string piped = "cat '" + scratch->file("demo/test.npz") +
                            "' | '" CUBCAL_PROGRAM "' evaluate - --json '" +
                            scratch->file("piped.json") + "' >/dev/null";
  ASSERT_EQ(std::system(piped.c_str()), 0);
  EXPECT_EQ(Json::parse(contents_of(scratch->path() / "piped.json")), direct);
}

}  // namespace
}  // namespace cubcal::test
