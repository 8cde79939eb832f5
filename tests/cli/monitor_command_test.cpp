// 'cubcal monitor' in a second process.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/demo_logits.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::json;

class MonitorCommand : public DemoLogits {
 protected:
  static void SetUpTestSuite() {
    DemoLogits::SetUpTestSuite();
    run({"example", "--out", "same", "--samples", "300", "--passes", "5", "--seed", "7"});
    run({"example", "--out", "harder", "--samples", "300", "--passes", "5", "--seed", "8",
         "--evidence", "0.8"});
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

TEST_F(MonitorCommand, AlarmsWhereImagesAreHarder) {
  const std::vector<std::string> base{"monitor", "demo/test.npz", "same/test.npz",
                                      "harder/test.npz"};
  const Outcome text = run(base);
  ASSERT_EQ(text.exit_code, 0) << text.err;
  for (const char* words : {"reference", "expected accuracy %", "ALARM", "patient by patient",
                            "0.05 / (4 tests × 2 periods) = 0.00625"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
  }
  std::vector<std::string> failing = base;
  failing.push_back("--fail-on-alarm");
  const Outcome failed = run(failing);
  EXPECT_EQ(failed.exit_code, 3);
  EXPECT_EQ(failed.err, "");
  EXPECT_EQ(failed.out, text.out);
  EXPECT_EQ(run({"monitor", "demo/test.npz", "same/test.npz", "--fail-on-alarm"}).exit_code, 0);
  std::vector<std::string> as_json = base;
  as_json.insert(as_json.end(), {"--json", "-", "--html", "page.html", "--csv", "numbers.csv"});
  const Json json = json_of(as_json);
  EXPECT_EQ(json["periods"][0]["tests"]["uncertainty"]["alarm"], false);
  EXPECT_EQ(json["periods"][1]["tests"]["uncertainty"]["alarm"], true);
  EXPECT_EQ(json["periods"][1]["units_are"], "groups");
  EXPECT_NE(contents_of(scratch->path() / "page.html").find("</html>"), std::string::npos);
  const CsvTable table = read_csv(scratch->file("numbers.csv"));
  EXPECT_EQ(table.rows[0][table.column("what")], "referral");
  EXPECT_EQ(table.rows.back()[table.column("alarm")], "yes");
}

// Labels of the periods change nothing but the actual accuracy shown.
TEST_F(MonitorCommand, LabelsAreShownAndNotUsed) {
  Json with = json_of({"monitor", "demo/test.npz", "harder/test.npz", "--json", "-"});
  Json without =
      json_of({"monitor", "demo/test.npz", "harder/test.npz", "--ignore-labels", "--json", "-"});
  EXPECT_FALSE(with["periods"][0]["actual_accuracy"].is_null());
  EXPECT_TRUE(without["periods"][0]["actual_accuracy"].is_null());
  for (Json* each : {&with, &without}) {
    (*each)["periods"][0].erase("actual_accuracy");
    (*each)["reference"].erase("actual_accuracy");
    each->erase("warning");
  }
  EXPECT_EQ(with, without);
}

// A log of the same predictions gives the same numbers as their logits.
TEST_F(MonitorCommand, ALogIsAsGoodAsLogits) {
  ASSERT_EQ(run({"apply", "harder/test.npz", "-o", "harder.csv"}).exit_code, 0);
  const CsvTable table = read_csv(scratch->file("harder.csv"));
  std::string log;
  for (const auto& row : table.rows) {
    const auto cell = [&](const char* name) { return row[table.column(name)]; };
    log += R"({"class":")" + cell("predicted_name") + R"(","confidence":)" + cell("confidence") +
           R"(,"uncertainty":{"total":)" + cell("uncertainty") + R"(},"group":")" + cell("group") +
           R"(","label":)" + cell("label") + "}\n";
  }
  write_file_atomically(scratch->file("harder.jsonl"), log);
  const Json logits = json_of({"monitor", "demo/test.npz", "harder/test.npz", "--json", "-"});
  const Json logged = json_of({"monitor", "demo/test.npz", "harder.jsonl", "--json", "-"});
  EXPECT_EQ(logits["periods"][0]["tests"], logged["periods"][0]["tests"]);
  EXPECT_EQ(logits["periods"][0]["actual_accuracy"], logged["periods"][0]["actual_accuracy"]);
  EXPECT_EQ(logged["periods"][0]["name"], "harder");
  const Json both = json_of({"monitor", "harder.jsonl", "harder.jsonl", "--json", "-"});
  EXPECT_EQ(both["alarms"], 0);
}

TEST_F(MonitorCommand, LogsAreOfOneModelAndNameTheirClasses) {
  const auto log = [](const char* file, const std::string& weights) {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      text += R"({"class":"nv","class_index":1,"probabilities":{"mel":0.1,"nv":0.9},)"
              R"("confidence":0.9,"uncertainty":0.3,"weights_hash":")" +
              weights + "\"}\n";
    }
    write_file_atomically(scratch->file(file), text);
  };
  log("june.jsonl", "aaaa");
  log("july.jsonl", "bbbb");
  const Outcome same = run({"monitor", "june.jsonl", "june.jsonl"});
  EXPECT_EQ(same.exit_code, 0) << same.err;
  EXPECT_NE(same.out.find("2 classes. Logs of predictions were taken as they are."),
            std::string::npos)
      << same.out;
  EXPECT_NE(same.out.find("answers %   mel      nv"), std::string::npos) << same.out;
  expect_refused({"monitor", "june.jsonl", "july.jsonl"}, 1,
                 "of a model (weights bbbb), but line 1");
  expect_refused({"monitor", "june.jsonl", "july.jsonl"}, 1, "--model takes those of one");
  const Outcome chosen = run({"monitor", "june.jsonl", "july.jsonl", "--model", "aaaa"});
  EXPECT_NE(chosen.out.find("only answers of 'aaaa' count"), std::string::npos) << chosen.err;
}

TEST_F(MonitorCommand, CalibratedLogsAreHeldAgainstCalibratedLogits) {
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "--method", "ts-nll", "-o", "ts.json"}).exit_code, 0);
  const auto log = [](const char* file, const char* more) {
    std::string text;
    for (int i = 0; i < 20; ++i) {
      text += R"({"image":")" + std::to_string(i) +
              R"(","class_index":1,"confidence":0.9,"uncertainty":0.3)" + more + "}\n";
    }
    write_file_atomically(scratch->file(file), text);
  };
  log("calibrated.jsonl", R"(,"calibration":"ts-nll")");
  log("plain.jsonl", R"(,"calibration":null)");
  log("old.jsonl", "");
  expect_refused({"monitor", "demo/test.npz", "calibrated.jsonl"}, 1,
                 "line 1 of 'calibrated.jsonl' is calibrated with ts-nll, but 'demo/test.npz' is "
                 "not calibrated: they would differ though nothing drifts; --calibration applies");
  expect_refused({"monitor", "demo/test.npz", "plain.jsonl", "--calibration", "ts.json"}, 1,
                 "left out where they were not");
  for (const std::vector<std::string>& arguments :
       {std::vector<std::string>{"calibrated.jsonl", "--calibration", "ts.json"},
        {"plain.jsonl"},
        {"old.jsonl"},
        {"old.jsonl", "--calibration", "ts.json"}}) {
    std::vector<std::string> all{"monitor", "demo/test.npz"};
    all.insert(all.end(), arguments.begin(), arguments.end());
    const Outcome result = run(all);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(
        result.out.find("Not all of them say whether they are calibrated") != std::string::npos,
        arguments[0] == "old.jsonl")
        << result.out;
  }
  expect_refused({"monitor", "demo/test.npz", "plain.jsonl", "--model", "typo"}, 2,
                 "--model names 'typo', which gave no answer");
  expect_refused({"monitor", "demo/test.npz", "same/test.npz", "--model", "typo"}, 2,
                 "there is no log with any");
}

TEST_F(MonitorCommand, RatesAreThoseOfTheLog) {
  std::string text;
  for (int i = 0; i < 20; ++i) {
    text += R"({"image":")" + std::to_string(i % 19) +
            R"(","class_index":1,"confidence":0.9,"uncertainty":0.4,"verdict":")" +
            (i % 19 < 4   ? "refer"
             : i % 19 < 6 ? "out-of-scope"
                          : "accept") +
            "\"}\n";
  }
  write_file_atomically(scratch->file("verdicts.jsonl"), text);
  const Outcome result = run({"monitor", "demo/test.npz", "verdicts.jsonl"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err,
            "cubcal: warning: 'verdicts.jsonl' has further answers for images it has answered: 1 "
            "earlier answer does not count\n");
  for (const char* words : {"accepted %", "out of scope %", "the verdicts of the logs where"}) {
    EXPECT_NE(result.out.find(words), std::string::npos) << words << "\n" << result.out;
  }
  const Json json = json_of({"monitor", "demo/test.npz", "verdicts.jsonl", "--json", "-"});
  EXPECT_EQ(json["periods"][0]["predictions"], 19);
  EXPECT_EQ(json["periods"][0]["accepted"]["count"], 13);
  EXPECT_EQ(json["periods"][0]["referral"]["count"], 4);
  EXPECT_EQ(json["periods"][0]["out_of_scope"]["count"], 2);
  EXPECT_EQ(json["reading_warnings"].size(), 1U);
  const Json given = json_of(
      {"monitor", "demo/test.npz", "verdicts.jsonl", "--refer-above", "0.3", "--json", "-"});
  EXPECT_EQ(given["periods"][0]["referral"]["count"], 19);
}

TEST_F(MonitorCommand, OutOfScopeFromAColumn) {
  for (const char* name : {"demo", "harder"}) {
    LogitsFile file = read_logits_file(scratch->file(std::string(name) + "/test.npz"));
    SampleColumn distance{"distance", {}};
    for (std::size_t i = 0; i < file.labels.size(); ++i) {
      distance.values.push_back(std::string(name) == "demo" && i % 10 != 0 ? "1" : "9");
    }
    file.columns = {distance};
    write_logits_file(scratch->file(std::string(name) + "_ood.npz"), file);
  }
  const Json json = json_of({"monitor", "demo_ood.npz", "harder_ood.npz", "--ood-score", "distance",
                             "--ood-above", "5", "--json", "-"});
  EXPECT_EQ(json["tests_per_period"], 5);
  EXPECT_EQ(json["reference"]["out_of_scope"]["share"], 0.1);
  EXPECT_TRUE(json["periods"][0]["tests"]["out_of_scope"]["alarm"].get<bool>());
}

TEST_F(MonitorCommand, MistakesAreNamed) {
  const auto refused = [](std::vector<std::string> more, int code, const std::string& words) {
    more.insert(more.begin(), {"monitor", "demo/test.npz"});
    expect_refused(more, code, words);
  };
  refused({}, 2, "NEW is required");
  refused({"nowhere.jsonl"}, 1, "nowhere.jsonl");
  refused({"same/test.npz", "--alarm-rate", "0"}, 2, "the alarm rate must be");
  refused({"same/test.npz", "harder/test.npz", "--periods", "1"}, 2, "--periods plans 1");
  refused({"same/test.npz", "--permutations", "50"}, 2, "--permutations must be at least 79");
  refused({"same/test.npz", "--html", "-"}, 2, "--html needs the name of a file");
  refused({"same/test.npz", "--html", "same/test.npz"}, 2, "is also an input");
  refused({"same/test.npz", "--json", "-", "--csv", "-"}, 2, "only one of --json and --csv");
  refused({"same/test.npz", "--ood-p", "p"}, 1, "has no array 'column_p'");
  write_file_atomically(scratch->file("bad.jsonl"), "{\"class\": 3}\n");
  refused({"bad.jsonl"}, 1, "line 1 of 'bad.jsonl'");
  write_file_atomically(scratch->file("p.1-of-3.jsonl"), "{\"format\": \"cubcal-shard\"}\n");
  refused({"p.1-of-3.jsonl"}, 1, "merge all of them first");
  write_file_atomically(scratch->file("empty.jsonl"), "");
  expect_refused({"monitor", "empty.jsonl", "same/test.npz"}, 1, "");
  EXPECT_EQ(run({"monitor", "demo/test.npz", "empty.jsonl"}).exit_code, 0);
}

}  // namespace
}  // namespace cubcal::test
