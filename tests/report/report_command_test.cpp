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
  EXPECT_EQ(run.err, "cubcal: Images are left out: no data set was named (option --data).\n");
  EXPECT_NE(test::contents_of(scratch_.path() / "page.html").find("</html>"), std::string::npos);
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
  expect({"--logits", "test.npz", "--data", "none", "-o", "page.html"}, 1, "none");
}

}  // namespace
}  // namespace cubcal::report
