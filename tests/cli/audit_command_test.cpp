// 'cubcal audit' in a second process, on simulated logits with the columns sex, site and age.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/demo_logits.h"
#include "cubcal/audit/audit_values.h"
#include "cubcal/io/csv.h"
#include "cubcal/io/logits_file.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::json;

class AuditCommand : public DemoLogits {
 protected:
  static std::vector<std::string> audit(std::vector<std::string> more) {
    std::vector<std::string> all{"audit", "demo/test.npz",  "--bootstrap",
                                 "50",    "--permutations", "99"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
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

TEST_F(AuditCommand, FindsTheGapOfTheExample) {
  const Outcome text = run({"audit", "demo/test.npz", "--by", "sex,site"});
  ASSERT_EQ(text.exit_code, 0) << text.err;
  for (const char* words :
       {"200 patients", "By sex", "By site", "mobile unit", "gaps found",
        "Intervals: percentile bootstrap over patients, 1000 replicates, seed 0",
        "fewer than 10 patients"}) {
    EXPECT_NE(text.out.find(words), std::string::npos) << words << "\n" << text.out;
  }
  const Json json = json_of({"audit", "demo/test.npz", "--test", "accuracy", "--json", "-"});
  ASSERT_EQ(json["columns"].size(), 3U);
  const Json& mobile = json["columns"][1]["groups"][0];
  EXPECT_EQ(mobile["value"], "mobile unit");
  EXPECT_TRUE(mobile["gaps"]["accuracy"]["found"].get<bool>());
  EXPECT_LT(mobile["gaps"]["accuracy"]["interval"][1].get<double>(), 0);
  EXPECT_EQ(json["columns"][2]["grouping"], "quarters");
  EXPECT_EQ(json["columns"][2]["groups"].back()["value"], "(missing)");
  EXPECT_EQ(json["units_are"], "groups");
}

TEST_F(AuditCommand, ValuesAreThoseOfTheSubsetAlone) {
  LogitsReading reading;
  reading.columns = {"site"};
  const LogitsFile file = read_logits_file(scratch->file("demo/test.npz"), reading);
  std::size_t south = 0;
  for (const std::string& site : file.columns[0].values) south += site == "south" ? 1 : 0;
  const Json json = json_of(audit({"--by", "site", "--json", "-"}));
  const Json& group = json["columns"][0]["groups"][2];
  EXPECT_EQ(group["value"], "south");
  EXPECT_EQ(group["samples"], south);
  const Json all = json_of({"evaluate", "demo/test.npz", "--json", "-"});
  for (const char* key : {"accuracy", "ece", "aurc", "mi_mean"}) {
    EXPECT_EQ(json["overall"][key], all["metrics"][key]) << key;
  }
}

TEST_F(AuditCommand, CrossedColumnsBesideOneAlone) {
  const Json json =
      json_of(audit({"--by", "sex,sex*site,age*sex", "--cuts", "age=65", "--json", "-"}));
  ASSERT_EQ(json["columns"].size(), 3U);
  EXPECT_EQ(json["columns"][0]["name"], "sex");
  const Json& crossed = json["columns"][1];
  EXPECT_EQ(crossed["name"], "sex*site");
  EXPECT_EQ(crossed["grouping"], "crossed");
  std::size_t samples = 0;
  for (const Json& group : crossed["groups"]) samples += group["samples"].get<std::size_t>();
  EXPECT_EQ(samples, json["samples"]);
  EXPECT_EQ(json["columns"][2]["groups"][0]["value"], "below 65 × female");
  const Outcome text = run(audit({"--by", "sex*site"}));
  EXPECT_NE(text.out.find("By sex*site, the groups of each crossed"), std::string::npos);
  EXPECT_NE(text.out.find("female × south"), std::string::npos) << text.out;
}

TEST_F(AuditCommand, CutsMarginAndTables) {
  const Outcome csv = run(audit({"--by", "age", "--cuts", "age=40,65", "--margin", "0.05", "--csv",
                                 "-", "--latex", "a.tex", "--markdown", "a.md"}));
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  const CsvTable table = parse_csv(csv.out, "stdout");
  EXPECT_EQ(table.rows.size(), 4U * audit_labels(/*with_outside=*/false).size());
  EXPECT_EQ(table.rows[0][table.column("group")], "below 40");
  EXPECT_EQ(table.rows[0][table.column("metric")], "accuracy");
  EXPECT_NE(table.rows[0][table.column("within_margin")], "");
  EXPECT_NE(contents_of(scratch->path() / "a.tex").find("40 to below 65"), std::string::npos);
  EXPECT_NE(contents_of(scratch->path() / "a.md").find("| age | 65 and above |"),
            std::string::npos);
}

TEST_F(AuditCommand, OutOfScopeBySite) {
  LogitsReading reading;
  reading.all_columns = true;
  LogitsFile file = read_logits_file(scratch->file("demo/test.npz"), reading);
  SampleColumn p{"ood", {}};
  for (std::size_t i = 0; i < file.labels.size(); ++i) {
    p.values.push_back(file.columns[1].values[i] == "south" ? "0.01" : "0.5");
  }
  file.columns.push_back(p);
  write_logits_file(scratch->file("ood.npz"), file);
  const Json json = json_of({"audit", "ood.npz", "--ood-p", "ood", "--permutations", "99",
                             "--bootstrap", "50", "--json", "-"});
  EXPECT_EQ(json["columns"].size(), 3U);  // the detector's column is not a subgroup
  const Json& south = json["columns"][1]["groups"][2];
  EXPECT_EQ(south["values"]["out_of_scope"], 1);
  EXPECT_EQ(south["rest"]["out_of_scope"], 0);
  EXPECT_TRUE(south["gaps"]["out_of_scope"]["found"].get<bool>());
  EXPECT_EQ(json["out_of_scope"], "ood at most 0.05");
}

TEST_F(AuditCommand, MistakesAreNamed) {
  expect_refused(audit({"--by", "sexe"}), 1, "its columns are: sex, site, age");
  expect_refused(audit({"--by", "sex,sex"}), 2, "--by names the column 'sex' twice");
  expect_refused(audit({"--by", "sex*sex"}), 2,
                 "--by crosses different columns, as sex*site does, not 'sex*sex'");
  expect_refused(audit({"--by", "sex*"}), 2, "--by crosses different columns");
  expect_refused(audit({"--by", "sex*sexe"}), 1, "its columns are: sex, site, age");
  expect_refused(audit({"--by", "sex", "--cuts", "age=40"}), 2,
                 "--cuts names the column 'age', which is not audited");
  expect_refused(audit({"--cuts", "age"}), 2, "--cuts must be COLUMN=NUMBER,NUMBER...");
  expect_refused(audit({"--cuts", "age=40,old"}), 2, "--cuts must be COLUMN=NUMBER,NUMBER...");
  expect_refused(audit({"--cuts", "age=40,40"}), 2, "must rise");
  expect_refused(audit({"--by", "sex", "--cuts", "sex=40"}), 1, "it holds 'female'");
  expect_refused(audit({"--test", "acc"}), 2, "'acc' is not among the values of an audit");
  expect_refused(audit({"--alarm-rate", "1"}), 2, "the alarm rate must be");
  expect_refused(audit({"--margin", "5"}), 2, "the margin must be");
  expect_refused(audit({"--ood-score", "age"}), 2, "--ood-score and --ood-above go together");
  expect_refused(audit({"--ood-p", "age"}), 1, "p-values in [0, 1] are needed");
  expect_refused(audit({"--json", "demo/test.npz"}), 2, "is also an input");
  expect_refused({"audit", "nowhere.npz"}, 1, "nowhere.npz");
}

TEST_F(AuditCommand, AFileWithoutColumnsOrLabelsIsRefused) {
  LogitsFile file = read_logits_file(scratch->file("demo/test.npz"));
  write_logits_file(scratch->file("bare.npz"), file);
  expect_refused({"audit", "bare.npz"}, 1, "has no further columns");
  file.has_labels = false;
  file.labels.clear();
  write_logits_file(scratch->file("unlabelled.npz"), file);
  expect_refused({"audit", "demo/test.npz", "--by", "site", "--permutations", "5"}, 2,
                 "--permutations must be at least 19");
  expect_refused({"audit", "unlabelled.npz"}, 1,
                 "has no array 'labels' [N], which an audit needs; --labels-key names");
}

}  // namespace
}  // namespace cubcal::test
