// 'cubcal benefit' in a second process.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/demo_logits.h"
#include "cli/program.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"

namespace cubcal::test {
namespace {

class BenefitCommand : public DemoLogits {
 protected:
  static std::vector<std::string> with(std::vector<std::string> more) {
    more.insert(more.begin(), {"benefit", "demo/test.npz", "--positive", "malignant"});
    return more;
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

TEST_F(BenefitCommand, SaysFormulaAssumptionAndWhereThePolicyIsBest) {
  const Outcome text =
      run(with({"--threshold", "0.05:0.5", "--refer-above", "0.325", "--referral-cost", "0.05",
                "--bootstrap", "50", "--svg", "benefit.svg"}));
  EXPECT_EQ(text.exit_code, 0) << text.err;
  for (const char* words :
       {"NB = TP/N − pt/(1−pt)·FP/N − 0.05·R/N", "an expert who is always right",
        "refer where U > 0.325 nats, else accept", "answer all", "refer all", "treat none",
        "One in 4 of 46 thresholds is shown", "replicates of whole groups",
        "is best of the 5 at thresholds", "Against answering everything it gains",
        "missed, % of all", "false alarms, % of all", "wrote benefit.svg"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << " is not in " << text.out;
  }
  EXPECT_EQ(contents_of(scratch->path() / "benefit.svg").rfind("<svg", 0), 0U);
}

TEST_F(BenefitCommand, JsonAndCsvHaveTheSameNumbers) {
  const std::vector<std::string> base = with({"--threshold", "0.1,0.3", "--refer-above", "0.325",
                                              "--referral-cost", "0.02", "--bootstrap", "30"});
  std::vector<std::string> as_json = base;
  as_json.insert(as_json.end(), {"--json", "-"});
  const nlohmann::json json = json_of(as_json);
  std::vector<std::string> as_csv = base;
  as_csv.insert(as_csv.end(), {"--csv", "benefit.csv"});
  ASSERT_EQ(run(as_csv).exit_code, 0);
  const CsvTable table = read_csv(scratch->file("benefit.csv"));
  ASSERT_EQ(table.rows.size(), 10U);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    const auto& point = json["points"][r / 5];
    const auto& strategy = point["strategies"][table.rows[r][table.column("strategy")]];
    EXPECT_EQ(std::stod(table.rows[r][table.column("threshold")]), point["threshold"]);
    EXPECT_EQ(std::stod(table.rows[r][table.column("value")]), strategy["value"]);
    EXPECT_EQ(std::stod(table.rows[r][table.column("high")]), strategy["interval"][1]);
    EXPECT_EQ(std::stod(table.rows[r][table.column("missed")]), strategy["missed"]);
  }
  EXPECT_EQ(json["prices"]["referral"], 0.02);
  EXPECT_EQ(json["bootstrap"]["unit"], "group");
}

// Stated costs are the same policies in another unit: cost = 1000 miss (pi - NB).
TEST_F(BenefitCommand, StatedCostsAgreeWithNetBenefit) {
  const nlohmann::json costs =
      json_of(with({"--refer-above", "0.325", "--cost-miss", "80", "--cost-false-alarm", "20",
                    "--cost-referral", "4", "--json", "-"}));
  const nlohmann::json benefits = json_of(with(
      {"--refer-above", "0.325", "--threshold", "0.2", "--referral-cost", "0.05", "--json", "-"}));
  ASSERT_EQ(costs["points"].size(), 1U);
  EXPECT_EQ(costs["points"][0]["threshold"], 0.2) << "20 / (20 + 80)";
  const double prevalence = benefits["prevalence"];
  for (const auto& [key, strategy] : benefits["points"][0]["strategies"].items()) {
    EXPECT_NEAR(costs["points"][0]["strategies"][key]["value"].get<double>(),
                80000 * (prevalence - strategy["value"].get<double>()), 1e-7)
        << key;
  }
}

TEST_F(BenefitCommand, PoliciesFromColumns) {
  LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
  file.columns = {{"verdict", {}}, {"scope", {}}, {"patient", {}}};
  for (std::size_t i = 0; i < file.labels.size(); ++i) {
    file.columns[0].values.push_back(i % 4 == 0    ? "refer"
                                     : i % 10 == 1 ? "out-of-scope"
                                                   : "accept");
    file.columns[1].values.push_back(i % 10 == 1 ? "1" : "0");
    file.columns[2].values.push_back(std::to_string(i / 8));
  }
  file.columns[0].values[399] = "out-of-scope";
  write_logits_file(scratch->file("columns.npz"), file);
  const std::vector<std::string> base{"benefit",     "columns.npz", "--positive",      "1",
                                      "--threshold", "0.2",         "--referral-cost", "0.02"};
  const auto with_columns = [&](std::vector<std::string> more) {
    more.insert(more.begin(), base.begin(), base.end());
    return more;
  };
  const nlohmann::json by_verdict = json_of(with_columns(
      {"--verdict", "verdict", "--bootstrap", "20", "--by-column", "patient", "--json", "-"}));
  const auto& policy = by_verdict["points"][0]["strategies"]["policy"];
  EXPECT_NEAR(policy["referred"].get<double>(), 0.25, 1e-12);
  EXPECT_NEAR(policy["out_of_scope"].get<double>(), 41.0 / 400, 1e-12);
  EXPECT_EQ(by_verdict["bootstrap"]["unit"], "group");
  const nlohmann::json by_scope = json_of(
      with_columns({"--out-of-scope", "scope", "--out-of-scope-cost", "0.5", "--json", "-"}));
  EXPECT_EQ(by_scope["points"][0]["strategies"]["policy"]["referred"], 0);
  EXPECT_EQ(by_scope["prices"]["out_of_scope"], 0.5);
  expect_refused(with_columns({"--verdict", "patient"}), 1,
                 "must hold accept, refer or out-of-scope, but sample 0 has '0'");
  expect_refused(with_columns({"--out-of-scope", "verdict"}), 1, "must hold 1 or 0");
}

TEST_F(BenefitCommand, OptionsAreChecked) {
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& words) {
    expect_refused(with(std::move(more)), code, words);
  };
  refused({}, 2, "--threshold is required, such as 0.05:0.5, unless --cost-miss is given");
  refused({"--threshold", "0.1", "--refer-above", "0.3"}, 2, "--referral-cost");
  refused({"--cost-miss", "9", "--cost-false-alarm", "1", "--refer-above", "0.3"}, 2,
          "--cost-referral");
  refused({"--threshold", "0.5:0.1"}, 2, "a range that rises");
  refused({"--threshold", "0.1:0.2:1e-9"}, 2, "at most 1000 thresholds");
  refused({"--threshold", "often"}, 2, "not 'often'");
  refused({"--threshold", "1"}, 2, "a threshold probability must be in [0, 1), not 1");
  refused({"--threshold", "0.1", "--svg", "x.svg"}, 2, "takes several thresholds");
  refused({"--threshold", "0.1:0.2", "--svg", "x.png"}, 2, "must end in .svg");
  refused({"--threshold", "0.1", "--by-column", "patient", "--bootstrap", "20"}, 1,
          "has no array 'column_patient'");
  refused({"--threshold", "0.1", "--json", "demo/test.npz"}, 2, "is also an input");
  expect_refused({"benefit", "demo/test.npz", "--positive", "malignent", "--threshold", "0.1"}, 2,
                 "did you mean 'malignant'?");
  expect_refused({"benefit", "demo/test.npz", "--positive", "0,1,2", "--threshold", "0.1"}, 2,
                 "not all of them");
}

}  // namespace
}  // namespace cubcal::test
