// `cubcal report` as a user meets it.

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cubcal/core/check.h"
#include "report/example_run.h"

namespace cubcal::report {
namespace {

class ReportCommand : public testing::Test {
 protected:
  test::Outcome report(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), "report");
    arguments.insert(arguments.end(), {"--bootstrap", "50"});
    return test::run_cubcal(arguments, scratch_.path());
  }
  test::ScratchFolder scratch_;
};

TEST_F(ReportCommand, WritesThePageAndSaysWhatItLacks) {
  write_example_run(scratch_.path() / "run", "bnn+cub", 1);
  const test::Outcome run = report({"run", "-o", "page.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("wrote page.html: 1 run, 1 method, "), std::string::npos) << run.out;
  EXPECT_EQ(run.err, "cubcal: Images are left out: no data set was named.\n");
  EXPECT_NE(test::contents_of(scratch_.path() / "page.html").find("</html>"), std::string::npos);
}

TEST_F(ReportCommand, FiguresAreFilesOfTheirOwn) {
  write_example_run(scratch_.path() / "a", "../<b>/c π", 1);
  write_example_run(scratch_.path() / "b", "bnn", 1, 1.6);
  const test::Outcome run = report({"a", "b", "--figures", "out/figures", "-o", "page.html"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  std::size_t svgs = 0;
  std::size_t pdfs = 0;
  for (const auto& each : std::filesystem::directory_iterator(scratch_.path() / "out/figures")) {
    const std::string name = each.path().filename().string();
    const std::string bytes = test::contents_of(each.path());
    EXPECT_NE(run.out.find("out/figures/" + each.path().stem().string()), std::string::npos)
        << name << " is not in the list";
    if (each.path().extension() == ".pdf") {
      EXPECT_EQ(bytes.rfind("%PDF-", 0), 0U) << name;
      ++pdfs;
    } else {
      EXPECT_EQ(bytes.rfind("<svg ", 0), 0U) << name;
      EXPECT_EQ(bytes.find("class="), std::string::npos) << name;
      ++svgs;
    }
  }
  EXPECT_EQ(svgs, pdfs);
  const std::string page = test::contents_of(scratch_.path() / "page.html");
  std::size_t charts = 0;
  for (std::size_t at = page.find("<figure class=\"chart"); at != std::string::npos;
       at = page.find("<figure class=\"chart", at + 1)) {
    ++charts;
  }
  EXPECT_EQ(svgs, charts) << "every chart of the page";
  EXPECT_TRUE(std::filesystem::exists(scratch_.path() / "out/figures/bnn-confusion-matrix.pdf"));
  EXPECT_TRUE(std::filesystem::exists(scratch_.path() / "out/figures/b-c-confusion-matrix.svg"));
}

TEST_F(ReportCommand, FiguresThatCannotBeWrittenLeaveNoPage) {
  write_logits_file(scratch_.file("test.npz"), example_logits(1));
  write_file_atomically(scratch_.file("taken"), "a file");
  const test::Outcome run = report({"--logits", "test.npz", "--figures", "taken", "-o", "p.html"});
  EXPECT_EQ(run.exit_code, 1);
  EXPECT_NE(run.err.find("'taken'"), std::string::npos) << run.err;
  EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "p.html"));
}

TEST_F(ReportCommand, ChecklistsAreFilledFromTheRecords) {
  write_example_run(scratch_.path() / "run", "bnn+cub", 7);
  const test::Outcome run =
      report({"run", "--checklist", "claim", "--checklist", "tripod-ai=lists.md", "--checklist",
              "model-card", "-o", "out.html"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_NE(run.out.find("wrote out-claim.md: claim checklist"), std::string::npos) << run.out;
  const std::string claim = test::contents_of(scratch_.path() / "out-claim.md");
  for (const char* words :
       {"# CLAIM checklist: lesions\n", "with the seed 7.", "Network: small-resnet.",
        "Hash of the weights: 89ab.", "Program: cubcal 0.1.0.",
        "Test: 200 images of 100 groups such as patients.",
        "100 groups are in both test and validation images", "Of no class: 60 images",
        "site = north, 67 images: accuracy ", "told apart by uncertainty U: AUROC ",
        "percentile bootstrap intervals, 50 replicates by group",
        "malignant against the rest, called where it is the answer: sensitivity ",
        "\\<other\\> \\& \"odd\"", "> **To write:** Sources of support and interests."}) {
    EXPECT_NE(claim.find(words), std::string::npos) << words;
  }
  EXPECT_EQ(claim.find(scratch_.path().string()), std::string::npos);
  const std::string page = test::contents_of(scratch_.path() / "out.html");
  EXPECT_EQ(page.find("Clinical metrics"), std::string::npos) << "asked for by no option";
  EXPECT_NE(test::contents_of(scratch_.path() / "lists.md").find("### 27c. Next steps"),
            std::string::npos);
  EXPECT_NE(test::contents_of(scratch_.path() / "out-model-card.md").find("### 8. Ethical"),
            std::string::npos);
}

TEST_F(ReportCommand, ShowsWhatTheOtherCommandsCompute) {
  ASSERT_EQ(test::run_cubcal({"example", "--out", "demo", "--samples", "300", "--passes", "5"},
                             scratch_.path())
                .exit_code,
            0);
  const std::vector<std::string> benefit = {"positive",    "malignant", "threshold",     "0.05:0.5",
                                            "refer-above", "0.325",     "referral-cost", "0.05"};
  std::vector<std::string> own{"benefit", "demo/test.npz", "--bootstrap", "50"};
  std::vector<std::string> asked{"demo/test.npz",
                                 "-o",
                                 "page.html",
                                 "--clinical",
                                 "--clinical-at-sensitivity",
                                 "0.9",
                                 "--prevalence-new",
                                 "demo/val.npz",
                                 "--prevalence-refer-above",
                                 "0.325"};
  for (std::size_t i = 0; i < benefit.size(); i += 2) {
    own.insert(own.end(), {"--" + benefit[i], benefit[i + 1]});
    asked.insert(asked.end(), {"--benefit-" + benefit[i], benefit[i + 1]});
  }
  const test::Outcome run = report(asked);
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string page = test::contents_of(scratch_.path() / "page.html");
  const auto lines_of = [&](const std::vector<std::string>& arguments) {
    const test::Outcome outcome = test::run_cubcal(arguments, scratch_.path());
    EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
    return outcome.out;
  };
  // Sentences of 'cubcal benefit' stand on the page as they are.
  std::string words = lines_of(own);
  words = words.substr(words.find("The policy is "));
  words = words.substr(0, words.find('\n'));
  EXPECT_NE(page.find(words), std::string::npos) << words;
  EXPECT_NE(page.find("Decision curve"), std::string::npos);
  // Treating all at 0.5 does harm; the page has one minus sign.
  const std::string section = page.substr(page.find("Net benefit</h"));
  EXPECT_NE(section.find("<td>−0."), std::string::npos);
  for (const char* hyphen : {"<td>-0.", "[-0.", "gains -0."}) {
    EXPECT_EQ(page.find(hyphen), std::string::npos) << hyphen;
  }
  // Values of 'cubcal evaluate --clinical' and 'cubcal prevalence' in the page's own decimals.
  const auto json_of = [&](const std::vector<std::string>& arguments) {
    return nlohmann::json::parse(lines_of(arguments));
  };
  const nlohmann::json clinical =
      json_of({"evaluate", "demo/test.npz", "--clinical", "--at-sensitivity", "0.9", "--bootstrap",
               "50", "--json", "-"})["clinical"];
  const auto cell = [](double value, int decimals) { return "<td>" + fixed(value, decimals); };
  EXPECT_NE(page.find(cell(100 * clinical["metrics"]["auroc"].get<double>(), 2)),
            std::string::npos);
  EXPECT_NE(page.find(cell(clinical["metrics"]["kappa"].get<double>(), 3)), std::string::npos);
  const nlohmann::json shifted =
      json_of({"prevalence", "demo/test.npz", "--new", "demo/val.npz", "--refer-above", "0.325",
               "--bootstrap", "50", "--json", "-"});
  EXPECT_NE(page.find(cell(100 * shifted["there"]["metrics"]["accuracy"].get<double>(), 2)),
            std::string::npos);
  EXPECT_NE(page.find(cell(100 * shifted["to"]["malignant"].get<double>(), 1)), std::string::npos);
  EXPECT_NE(page.find("estimated by EM from 300 images without labels"), std::string::npos);

  // Nothing of it unless it is asked for.
  ASSERT_EQ(report({"demo/test.npz", "-o", "plain.html"}).exit_code, 0);
  const std::string plain = test::contents_of(scratch_.path() / "plain.html");
  for (const char* heading : {"Clinical metrics", "Net benefit", "Another prevalence"}) {
    EXPECT_NE(page.find(heading), std::string::npos) << heading;
    EXPECT_EQ(plain.find(heading), std::string::npos) << heading;
  }
}

TEST_F(ReportCommand, SeveralFilesWithHostileLabels) {
  write_logits_file(scratch_.file("a.npz"), example_logits(1));
  write_logits_file(scratch_.file("b.npz"), example_logits(1, 200, 6, 1.2));
  const std::string odd = "<script>alert(1)</script>/../\xff";
  const test::Outcome run =
      report({odd + "=a.npz", "B=b.npz", "--val", "B=a.npz", "-o", "page.html", "--figures", "f"});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  const std::string page = test::contents_of(scratch_.path() / "page.html");
  EXPECT_EQ(page.find("<script>alert"), std::string::npos);
  for (const auto& each : std::filesystem::recursive_directory_iterator(scratch_.path() / "f")) {
    EXPECT_TRUE(each.is_regular_file());
    EXPECT_EQ(each.path().filename().string().find_first_not_of(
                  "abcdefghijklmnopqrstuvwxyz0123456789+-."),
              std::string::npos)
        << each.path();
  }
}

TEST_F(ReportCommand, LongNamesOfClassesHaveRoom) {
  LogitsFile file = example_logits(1);
  file.class_names.clear();
  for (std::size_t k = 0; k < file.logits.shape().back(); ++k) {
    file.class_names.push_back(std::string(60, 'W') + " " + std::to_string(k));
  }
  write_logits_file(scratch_.file("test.npz"), file);
  const test::Outcome run = report({"--logits", "test.npz", "-o", "page.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string page = test::contents_of(scratch_.path() / "page.html");
  EXPECT_NE(page.find("WWW…WWWWWWW 0"), std::string::npos) << "shortened on the axes";
  EXPECT_NE(page.find(file.class_names[1]), std::string::npos) << "whole in the table";
}

TEST_F(ReportCommand, ShowsTheCalibrationThatCalibrateAdvises) {
  write_logits_file(scratch_.file("test.npz"), example_logits(1));
  for (const double evidence : {1.0, 1.8}) {
    write_logits_file(scratch_.file("val.npz"), example_logits(20, 200, 6, evidence));
    const test::Outcome advice =
        test::run_cubcal({"calibrate", "val.npz", "-o", "c.json"}, scratch_.path());
    const std::string before = "Chosen: ";
    const std::size_t at = advice.out.find(before);
    const std::string method =
        at == std::string::npos
            ? ""
            : advice.out.substr(at + before.size(), advice.out.find(',', at) - at - before.size());
    const test::Outcome run =
        report({"--logits", "test.npz", "--val", "val.npz", "-o", "page.html"});
    EXPECT_EQ(run.exit_code, 0) << run.err;
    const std::string page = test::contents_of(scratch_.path() / "page.html");
    const std::string expected = method.empty() ? "None is advised" : method + " (advised)";
    EXPECT_NE(page.find(expected), std::string::npos) << expected << advice.out;
    EXPECT_EQ(method.empty(), evidence > 1.5) << advice.out;
    EXPECT_EQ(page.find(", after ") == std::string::npos, method.empty());
  }
}

TEST_F(ReportCommand, LogitsWithACalibration) {
  write_logits_file(scratch_.file("test.npz"), example_logits(1));
  write_logits_file(scratch_.file("val.npz"), example_logits(2));
  ASSERT_EQ(
      test::run_cubcal({"calibrate", "val.npz", "--method", "dts", "-o", "c.json"}, scratch_.path())
          .exit_code,
      0);
  const test::Outcome run =
      report({"--logits", "test.npz", "--calibration", "c.json", "-o", "page.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
  const std::string page = test::contents_of(scratch_.path() / "page.html");
  EXPECT_NE(page.find("dts (shown)"), std::string::npos);
  EXPECT_EQ(page.find("After dts-guarded"), std::string::npos);
}

TEST_F(ReportCommand, TakesProbabilitiesWhereAsked) {
  LogitsFile file;
  file.logits = NdArray(DType::kF32, {1, 40, 2});
  file.has_labels = true;
  for (std::size_t i = 0; i < 40; ++i) {
    const float p = static_cast<float>(i) / 40;
    file.logits.as<float>()[2 * i] = p;
    file.logits.as<float>()[2 * i + 1] = 1 - p;
    file.labels.push_back(i % 2);
  }
  write_logits_file(scratch_.file("probs.npz"), file);
  const test::Outcome refused = report({"--logits", "probs.npz", "-o", "page.html"});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_NE(refused.err.find("give --probabilities"), std::string::npos) << refused.err;
  const test::Outcome run = report({"--logits", "probs.npz", "--probabilities", "-o", "page.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST_F(ReportCommand, OutliersMayHaveLabelsThatAreNoClass) {
  write_logits_file(scratch_.file("test.npz"), example_logits(1));
  LogitsFile outliers = example_logits(2);
  outliers.labels.assign(outliers.labels.size(), -1);
  write_logits_file(scratch_.file("ood.npz"), outliers);
  const test::Outcome run = report({"--logits", "test.npz", "--ood", "ood.npz", "-o", "page.html"});
  EXPECT_EQ(run.exit_code, 0) << run.err;
}

TEST_F(ReportCommand, ErrorsAreOneSentence) {
  const auto expect = [&](const std::vector<std::string>& arguments, int code,
                          const std::string& words) {
    const test::Outcome run = report(arguments);
    EXPECT_EQ(run.exit_code, code) << run.err;
    EXPECT_NE(run.err.find(words), std::string::npos) << run.err;
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
  };
  expect({"-o", "page.html"}, 2, "give one of them");
  expect({"run"}, 2, "--output is required");
  expect({"nowhere", "-o", "page.html"}, 1, "'nowhere' is not a run folder");
  std::filesystem::create_directories(scratch_.path() / "empty");
  expect({"empty", "-o", "page.html"}, 1, "make them with 'cubcal logits --model empty");
  write_logits_file(scratch_.file("test.npz"), example_logits(1));
  expect({"--logits", "test.npz", "--risk-target", "2", "-o", "page.html"}, 2, "the risk target");
  expect({"--logits", "test.npz", "-o", "test.npz"}, 2,
         "the output 'test.npz' is also an input: name another file");
  write_logits_file(scratch_.file("ood.npz"), example_logits(2));
  expect({"--logits", "test.npz", "--ood", "ood.npz", "-o", "ood.npz"}, 2, "is also an input");
  write_example_run(scratch_.path() / "run", "bnn+cub", 1);
  expect({"run", "-o", "run/test.npz"}, 2, "the output 'run/test.npz' is also an input");
  expect({"--logits", "test.npz", "--points", "-1", "-o", "page.html"}, 2,
         "Value -1 not in range 10 to 1000000");
  expect({"--logits", "test.npz", "--images", "-1", "-o", "page.html"}, 2,
         "Value -1 not in range 1 to 200");
  expect({"--logits", "test.npz", "--seed", "-1", "-o", "page.html"}, 2, "Value -1 not in range 0");
  expect({"--logits", "test.npz", "--data", "none", "-o", "page.html"}, 1, "none");
  const auto refused = [&](std::vector<std::string> more, int code, const std::string& words) {
    more.insert(more.begin(), {"test.npz", "-o", "page.html"});
    expect(more, code, words);
    EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "page.html")) << words;
  };
  refused({"--checklist", "claims"}, 2, "takes claim, tripod-ai or model-card");
  refused({"--checklist", "claim="}, 2, "takes claim, tripod-ai or model-card");
  refused({"--checklist", "claim=page.html"}, 2, "'page.html' is named for two outputs");
  refused({"--checklist", "claim=test.npz"}, 2, "is also an input");
  refused({"--checklist", "claim=no/such/folder/x.md"}, 1, "no/such/folder/x.md");
  refused({"--benefit-threshold", "0.1:0.2"}, 2, "requires --benefit-positive");
  refused({"--benefit-positive", "malignant"}, 2, "--benefit-threshold is required");
  refused({"--benefit-positive", "malign", "--benefit-threshold", "0.1"}, 2,
          "--benefit-positive names the class 'malign'");
  refused({"--benefit-positive", "malignant", "--benefit-threshold", "0.1", "--benefit-verdict",
           "nobody", "--benefit-referral-cost", "0.1"},
          1, "no array 'column_nobody'");
  refused({"--clinical-threshold", "0.5"}, 2, "requires --clinical");
  refused({"--clinical", "--clinical-prevalence", "2"}, 2, "--clinical-prevalence takes a share");
  refused({"--prevalence-from", "equal"}, 2, "--prevalence-from needs --prevalence-to");
  refused({"--prevalence-to", "malignant=2"}, 2, "--prevalence-to takes equal");
  refused({"B=test.npz", "--val", "test.npz"}, 2, "must say which of 'test', 'B' it goes with");
  refused({"missing.npz"}, 1, "missing.npz");
}

}  // namespace
}  // namespace cubcal::report
