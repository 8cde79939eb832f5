// Bad input: one sentence on standard error, exit code 2 for usage and 1 for failure, nothing
// half-written.

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <limits>

#include "cli/program.h"
#include "cubcal/io/logits_file.h"
#include "cubcal/io/npz.h"

namespace cubcal::test {
namespace {

class Errors : public testing::Test {
 protected:
  void SetUp() override {
    const Outcome made = run({"example", "--out", "demo", "--samples", "60", "--passes", "4"});
    ASSERT_EQ(made.exit_code, 0) << made.err;
  }

  Outcome run(const std::vector<std::string>& arguments) const {
    return run_cubcal(arguments, scratch_.path());
  }

  /// The run fails with this code and one line that has these words.
  void expect_refused(const std::vector<std::string>& arguments, int exit_code,
                      const std::string& words) const {
    const Outcome result = run(arguments);
    EXPECT_EQ(result.exit_code, exit_code) << result.err;
    EXPECT_NE(result.err.find(words), std::string::npos) << result.err;
    EXPECT_EQ(result.err.rfind("cubcal: ", 0), 0U) << result.err;
    EXPECT_EQ(std::count(result.err.begin(), result.err.end(), '\n'), 1) << result.err;
    EXPECT_EQ(result.out, "");
  }

  /// A logits file of [passes, samples, classes] zeros with labels 0, changed by `edit`.
  template <class Edit>
  void write(const std::string& name, std::vector<std::size_t> shape, std::size_t labels,
             Edit edit) const {
    NdArray logits(DType::kF32, shape);
    std::fill_n(logits.as<float>(), logits.size(), 0.0F);
    std::vector<std::int64_t> classes(labels, 0);
    edit(logits.as<float>(), classes);
    NpzWriter writer(scratch_.file(name));
    writer.add("logits", logits);
    writer.add("labels", ArrayView<const std::int64_t>(classes), {labels});
    writer.finish();
  }

  ScratchFolder scratch_;
};

const auto unchanged = [](float*, std::vector<std::int64_t>&) {};

TEST_F(Errors, AMistypedWordIsNamedAndTheNearestOffered) {
  expect_refused({"evalute", "demo/val.npz"}, 2,
                 "there is no command 'evalute'; did you mean 'evaluate'? (see 'cubcal --help')");
  expect_refused(
      {"data", "inspct", "demo"}, 2,
      "there is no command 'inspct'; did you mean 'inspect'? (see 'cubcal data --help')");
  expect_refused({"evaluate", "demo/val.npz", "--boostrap", "5"}, 2,
                 "there is no option '--boostrap'; did you mean '--bootstrap'? (see 'cubcal "
                 "evaluate --help')");
  expect_refused({"evaluate", "demo/val.npz", "--xyzzy", "5"}, 2,
                 "there is no option '--xyzzy' (see");
}

TEST_F(Errors, Usage) {
  expect_refused({}, 2, "subcommand is required");
  expect_refused({"evaluate"}, 2, "FILE is required");
  expect_refused({"evaluate", "demo/val.npz", "--binz", "3"}, 2, "--binz");
  expect_refused({"evaluate", "demo/val.npz", "--bins", "0"}, 2, "--bins");
  expect_refused({"evaluate", "demo/val.npz", "--bins", "many"}, 2, "--bins");
  expect_refused({"evaluate", "demo/val.npz", "--gamma", "1.5"}, 2, "gamma must be in [");
  expect_refused({"evaluate", "demo/val.npz", "--eta", "-1"}, 2, "uncertainty threshold");
  expect_refused({"evaluate", "demo/val.npz", "--bootstrap", "20", "--level", "1"}, 2, "level");
  expect_refused({"evaluate", "demo/val.npz", "--bootstrap", "1"}, 2,
                 "Value 1 is too few replicates to make an interval of: take 20 or more, or 0 for "
                 "no intervals");
  for (const char* command : {"audit", "prevalence"}) {
    expect_refused({command, "demo/val.npz", "--bootstrap", "19"}, 2, "take 20 or more");
  }
  expect_refused({"compare", "demo/val.npz", "demo/val.npz", "--bootstrap", "0"}, 2,
                 "take 20 or more");
  expect_refused({"compare", "demo/val.npz", "demo/val.npz", "--bootstrap", "-1"}, 2,
                 "not in range 20 to 1000000");
  expect_refused({"adaptive", "demo/val.npz", "--error", "0.7"}, 2, "--error");
  expect_refused({"adaptive", "demo/val.npz", "--first", "1"}, 2, "--first");
  expect_refused({"adaptive", "demo/val.npz", "--block", "0"}, 2, "--block");
  expect_refused({"adaptive", "demo/val.npz", "--gamma", "1"}, 2, "gamma must be in (");
  expect_refused({"adaptive", "demo/val.npz", "--eta", "-1"}, 2, "uncertainty threshold");
  expect_refused({"adaptive", "none.npz"}, 1, "none.npz");
  expect_refused({"calibrate", "demo/val.npz", "-o", "c.json", "--method", "platt"}, 2,
                 "must be ts-nll, ts-bcce, dts or dts-guarded, not 'platt'");
  expect_refused({"calibrate", "demo/val.npz"}, 2, "--output is required");
  expect_refused({"calibrate", "demo/val.npz", "-o", "c.json", "--t-high", "1"}, 2, "--t-high");
  expect_refused({"calibrate", "demo/val.npz", "-o", "c.json", "--t-high", "0:1"}, 2, "--t-high");
  expect_refused({"calibrate", "demo/val.npz", "-o", "c.json", "--t-low", "2:1"}, 2, "--t-low");
  expect_refused({"calibrate", "demo/val.npz", "--method", "dts", "-o", "c.json", "--t", "1:2"}, 2,
                 "use --t-high");
  expect_refused(
      {"calibrate", "demo/val.npz", "-o", "c.json", "--method", "ts-nll", "--t-low", "1:2"}, 2,
      "use --t");
  expect_refused({"calibrate", "demo/val.npz", "-o", "c.json", "--eta", "0.7"}, 2,
                 "eta must be in (0, ln 2");
  expect_refused({"apply", "demo/val.npz", "--calibration", "x", "-o", "p.txt"}, 2,
                 "--output must end in .npz or .csv");
  expect_refused({"boundary", "--classes", "1"}, 2, "not in range 2 to 1000000");
  expect_refused({"boundary", "--classes", "3", "--eta", "2"}, 2, "eta must be in (0, ln 2");
  expect_refused({"boundary", "--classes", "3", "--gamma", "0.4"}, 2, "gamma must be in (0.5, 1)");
  expect_refused({"completion", "csh"}, 2, "SHELL");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "c.json"));
}

TEST_F(Errors, NumbersOutOfRange) {
  const std::string whole = "Value -1 not in range 0 to 18446744073709551615";
  expect_refused({"boundary", "--classes", "-3"}, 2, "Value -3 not in range 2 to 1000000");
  expect_refused({"evaluate", "demo/val.npz", "--seed", "-1"}, 2, whole);
  expect_refused({"compare", "demo/val.npz", "demo/val.npz", "--seed", "-1"}, 2, whole);
  expect_refused({"example", "--out", "other", "--seed", "-1"}, 2, whole);
  expect_refused({"example", "--out", "other", "--samples", "-1"}, 2, "not in range 1 to 10000000");
  expect_refused({"evaluate", "demo/val.npz", "--eta", "inf"}, 2, "inf is not a finite number");
  expect_refused({"adaptive", "demo/val.npz", "--eta", "inf"}, 2, "inf is not a finite number");
  expect_refused({"calibrate", "demo/val.npz", "-o", "c.json", "--nll-tolerance", "inf"}, 2,
                 "inf is not a finite number");
  expect_refused({"evaluate", "demo/val.npz", "--level", "95"}, 2,
                 "the interval level must be in (0, 1), not 95");
  expect_refused({"adaptive", "demo/val.npz", "--gamma", "0.1"}, 2, "gamma must be in [");
}

TEST_F(Errors, AnOutputThatIsAnInput) {
  ASSERT_EQ(run({"calibrate", "demo/val.npz", "--method", "dts", "-o", "c.json"}).exit_code, 0);
  std::filesystem::create_symlink("demo/test.npz", scratch_.path() / "link.npz");
  const std::vector<std::vector<std::string>> runs = {
      {"calibrate", "demo/val.npz", "-o", "demo/val.npz"},
      {"calibrate", "demo/val.npz", "--test", "demo/test.npz", "-o", "link.npz"},
      {"apply", "demo/val.npz", "--calibration", "c.json", "-o", "./demo/val.npz"},
      {"evaluate", "demo/val.npz", "--json", "demo/val.npz"},
      {"evaluate", "demo/val.npz", "--ood", "demo/test.npz", "--json", "demo/test.npz"},
      {"evaluate", "demo/val.npz", "--calibration", "c.json", "--json", "c.json"},
      {"compare", "demo/val.npz", "demo/val.npz", "--calibration-b", "c.json", "--json", "c.json"},
      {"compare", "demo/val.npz", "demo/test.npz", "--json", "demo/test.npz"},
      {"adaptive", "demo/val.npz", "--json", "demo/val.npz"}};
  for (const std::vector<std::string>& arguments : runs) {
    const std::string& output = arguments.back();
    const std::string before = contents_of(scratch_.path() / output);
    expect_refused(arguments, 2, "the output '" + output + "' is also an input: name another file");
    EXPECT_EQ(contents_of(scratch_.path() / output), before) << output;
  }
}

TEST_F(Errors, OutliersOfAnotherNumberOfClasses) {
  write("k2.npz", {2, 5, 2}, 5, unchanged);
  expect_refused({"evaluate", "demo/val.npz", "--ood", "k2.npz"}, 1,
                 "'k2.npz' has 2 classes, but 'demo/val.npz' has 3");
}

TEST_F(Errors, ProbabilitiesAreRefusedWithTheOptionToUse) {
  const auto probabilities = [](float* logits, std::vector<std::int64_t>&) {
    for (std::size_t i = 0; i < 30; ++i) logits[i] = i % 3 == 0 ? 0.6F : 0.2F;
  };
  write("probs.npz", {2, 5, 3}, 5, probabilities);
  write("sigmoid.npz", {2, 5, 3}, 5, [](float* logits, std::vector<std::int64_t>&) {
    for (std::size_t i = 0; i < 30; ++i) logits[i] = i % 3 == 0 ? 0.9F : 0.5F;
  });
  for (const std::string file : {"probs.npz", "sigmoid.npz"}) {
    const std::string words = file == "probs.npz" ? "the rows of 'probs.npz' sum to 1"
                                                  : "all numbers of 'sigmoid.npz' lie in [0, 1]";
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"evaluate", file},
          {"evaluate", "demo/val.npz", "--ood", file},
          {"calibrate", file, "-o", "c.json"},
          {"calibrate", "demo/val.npz", "--test", file, "-o", "c.json"},
          {"apply", file, "-o", "p.npz"},
          {"adaptive", file, "--first", "2"},
          {"report", "--logits", file, "-o", "page.html"},
          {"compare", file, file, "--bootstrap", "20"}}) {
      expect_refused(arguments, 1, words);
    }
  }
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "c.json"));
  write("one.npz", {2, 5, 3}, 5, [&](float* logits, std::vector<std::int64_t>& labels) {
    probabilities(logits, labels);
    logits[14] = 1.5F;  // one row that is not a distribution
  });
  write("percent.npz", {2, 5, 3}, 5, [&](float* logits, std::vector<std::int64_t>& labels) {
    probabilities(logits, labels);
    for (std::size_t i = 0; i < 30; ++i) logits[i] *= 100;
  });
  expect_refused({"evaluate", "percent.npz"}, 1,
                 "the rows of 'percent.npz' sum to 100: these are percentages, and logits are "
                 "wanted; divided by 100 they are probabilities, which --probabilities takes");
  EXPECT_EQ(run({"evaluate", "one.npz"}).err, "");
  expect_refused({"evaluate", "one.npz", "--probabilities"}, 1,
                 "'one.npz' holds 1.5, but --probabilities takes numbers from 0 to 1");
  write("zeros.npz", {2, 5, 3}, 5, unchanged);
  expect_refused({"evaluate", "zeros.npz", "--probabilities"}, 1, "has a row of zeros");
}

TEST_F(Errors, AxesInAnotherOrderAreRecognised) {
  write("nsk.npz", {5, 2, 3}, 5, unchanged);
  expect_refused({"evaluate", "nsk.npz"}, 1,
                 "looks like [samples, passes, classes], and [passes, samples, classes] is wanted, "
                 "as np.swapaxes(logits, 0, 1) makes it; of [samples, classes, passes] "
                 "np.moveaxis(logits, 2, 0) does");
  write("skn.npz", {2, 3, 5}, 5, unchanged);
  expect_refused({"evaluate", "skn.npz"}, 1,
                 "looks like [passes, classes, samples], and [passes, samples, classes] is wanted, "
                 "as np.swapaxes(logits, 1, 2) makes it");
  write("kn.npz", {3, 5}, 5, unchanged);
  expect_refused({"evaluate", "kn.npz"}, 1,
                 "looks like [classes, samples], and [samples, classes] is wanted, as logits.T is");
}

TEST_F(Errors, SamplesThatCannotBeMatched) {
  const auto named = [&](const std::string& name, const std::vector<std::string>& files) {
    LogitsFile file = read_logits_file(scratch_.file("demo/val.npz"));
    file.files = files;
    file.files.resize(60, "x");
    for (std::size_t i = files.size(); i < 60; ++i) file.files[i] = std::to_string(i);
    write_logits_file(scratch_.file(name), file);
  };
  named("a.npz", {"p.png", "q.png"});
  named("b.npz", {"p.png", "r.png"});
  named("c.npz", {"p.png", "p.png"});
  expect_refused({"compare", "a.npz", "b.npz"}, 1,
                 "'b.npz' has the file 'r.png', but 'a.npz' has not");
  expect_refused({"compare", "a.npz", "c.npz"}, 1, "'c.npz' names the file 'p.png' twice");
}

TEST_F(Errors, AFigureOfAnotherKind) {
  expect_refused({"boundary", "--classes", "3", "--svg", "b.png"}, 2,
                 "its name must end in .svg, not be 'b.png'");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "b.png"));
}

TEST_F(Errors, MissingAndDamagedFiles) {
  expect_refused({"evaluate", "nowhere.npz"}, 1, "nowhere.npz");
  expect_refused({"evaluate", "demo"}, 1, "demo");
  std::ofstream(scratch_.file("text.npz")) << "hello";
  expect_refused({"evaluate", "text.npz"}, 1, "text.npz");
  std::string bytes = contents_of(scratch_.path() / "demo/val.npz");
  std::ofstream(scratch_.file("cut.npz"), std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  expect_refused({"evaluate", "cut.npz"}, 1, "cut.npz");
  std::ofstream(scratch_.file("bad.json")) << "{\"format\": \"cubcal-calibration\"}";
  expect_refused({"evaluate", "demo/val.npz", "--calibration", "bad.json"}, 1,
                 "bad.json: a calibration needs the field 'version'");
}

TEST_F(Errors, LogitsThatAreNotFinite) {
  for (const auto& [value, name] :
       {std::pair<float, std::string>{std::nanf(""), "NaN"},
        std::pair<float, std::string>{std::numeric_limits<float>::infinity(), "infinite"}}) {
    const float bad = value;
    write("bad.npz", {2, 5, 3}, 5,
          [&](float* logits, std::vector<std::int64_t>&) { logits[3 * 7 + 1] = bad; });
    expect_refused(
        {"evaluate", "bad.npz"}, 1,
        "bad.npz: logits must be finite, but the one at [pass 1, sample 2, class 1] is " + name);
    expect_refused({"calibrate", "bad.npz", "-o", "c.json"}, 1, "bad.npz: logits must be finite");
  }
}

TEST_F(Errors, ShapesAndLabels) {
  write("one_class.npz", {2, 5, 1}, 5, unchanged);
  expect_refused({"evaluate", "one_class.npz"}, 1, "one_class.npz");
  write("no_samples.npz", {2, 0, 3}, 0, unchanged);
  expect_refused({"evaluate", "no_samples.npz"}, 1, "no_samples.npz");
  write("no_passes.npz", {0, 5, 3}, 5, unchanged);
  expect_refused({"evaluate", "no_passes.npz"}, 1, "no_passes.npz");
  write("flat.npz", {6}, 6, unchanged);
  expect_refused({"evaluate", "flat.npz"}, 1, "flat.npz");
  write("short.npz", {2, 5, 3}, 4, unchanged);
  expect_refused({"evaluate", "short.npz"}, 1, "labels");
  write("high.npz", {2, 5, 3}, 5, [](float*, std::vector<std::int64_t>& labels) { labels[4] = 3; });
  expect_refused({"evaluate", "high.npz"}, 1, "labels");
  write("low.npz", {2, 5, 3}, 5, [](float*, std::vector<std::int64_t>& labels) { labels[1] = -1; });
  expect_refused({"evaluate", "low.npz"}, 1, "-1");
}

TEST_F(Errors, MissingArrays) {
  NpzWriter without_logits(scratch_.file("other.npz"));
  without_logits.add("scores", ArrayView<const double>(std::vector<double>(6, 0.0)), {2, 3});
  without_logits.finish();
  expect_refused({"evaluate", "other.npz"}, 1, "scores");

  NpzWriter without_labels(scratch_.file("unlabelled.npz"));
  without_labels.add("logits", ArrayView<const double>(std::vector<double>(6, 0.0)), {2, 3});
  without_labels.finish();
  expect_refused({"evaluate", "unlabelled.npz"}, 1,
                 "unlabelled.npz has no array 'labels' [N], which evaluation needs");
  expect_refused({"calibrate", "unlabelled.npz", "--method", "ts-nll", "-o", "c.json"}, 1,
                 "which ts-nll needs");
  // BCCE looks at no label: these two methods do without.
  EXPECT_EQ(run({"calibrate", "unlabelled.npz", "--method", "dts", "-o", "c.json"}).exit_code, 0);
}

TEST_F(Errors, CalibrationOfAnotherNumberOfClasses) {
  write("four.npz", {2, 8, 4}, 8, unchanged);
  ASSERT_EQ(run({"calibrate", "four.npz", "--method", "dts", "-o", "four.json"}).exit_code, 0);
  expect_refused({"apply", "demo/val.npz", "--calibration", "four.json", "-o", "p.npz"}, 1,
                 "fitted for 4 classes and cannot be applied to 3");
  EXPECT_FALSE(std::filesystem::exists(scratch_.path() / "p.npz"));
}

TEST_F(Errors, ComparingDifferentSamples) {
  expect_refused({"compare", "demo/val.npz", "demo/test.npz", "--bootstrap", "20"}, 1,
                 "do not have the same groups");
  write("few.npz", {2, 8, 3}, 8, unchanged);
  write("other.npz", {2, 8, 3}, 8,
        [](float*, std::vector<std::int64_t>& labels) { labels[3] = 1; });
  expect_refused({"compare", "few.npz", "other.npz", "--bootstrap", "20"}, 1,
                 "same labels on both sides");
  expect_refused({"compare", "demo/val.npz", "few.npz", "--bootstrap", "20"}, 1,
                 "same samples and classes");
}

TEST_F(Errors, UnwritableOutputLeavesNothingBehind) {
  expect_refused({"calibrate", "demo/val.npz", "--method", "dts", "-o", "missing/c.json"}, 1,
                 "missing/c.json");
  expect_refused({"evaluate", "demo/val.npz", "--json", "demo"}, 1, "demo");
  std::filesystem::create_directory(scratch_.path() / "folder.svg");
  expect_refused({"boundary", "--classes", "3", "--svg", "folder.svg"}, 1, "folder.svg");
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_.path())) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 2U);  // val.npz and test.npz
}

TEST_F(Errors, AnOutputWithoutAFolderIsRefusedBeforeAnythingIsWorkedOut) {
  const char* const words = "its folder does not exist";
  expect_refused({"calibrate", "demo/val.npz", "-o", "none/cal.json"}, 1, words);
  expect_refused({"evaluate", "demo/test.npz", "--json", "none/x.json"}, 1, words);
  expect_refused({"report", "--logits", "demo/test.npz", "-o", "none/x.html"}, 1, words);
}

TEST_F(Errors, AFullDiskIsAFailure) {
  if (access("/dev/full", W_OK) != 0) GTEST_SKIP() << "there is no /dev/full here";
  const std::string command = std::string(CUBCAL_PROGRAM) + " evaluate " +
                              scratch_.file("demo/val.npz") + " >/dev/full 2>" +
                              scratch_.file("err");
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_NE(contents_of(scratch_.path() / "err").find("standard output could not be written"),
            std::string::npos);
}

}  // namespace
}  // namespace cubcal::test
