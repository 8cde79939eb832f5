// `cubcal report` as a user meets it.

#include <gtest/gtest.h>

#include <algorithm>

#include "cli/program.h"
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
  for (std::size_t at = page.find("<figure class=\"chart\">"); at != std::string::npos;
       at = page.find("<figure class=\"chart\">", at + 1)) {
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
  expect({"nowhere", "-o", "page.html"}, 1, "'nowhere' is no run folder");
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
}

}  // namespace
}  // namespace cubcal::report
