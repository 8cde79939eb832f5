#include "cubcal/report/run_input.h"

#include <gtest/gtest.h>

#include <cmath>

#include "cli/program.h"
#include "expect_error.h"
#include "report/example_run.h"

namespace cubcal::report {
namespace {

class RunFolders : public testing::Test {
 protected:
  std::string folder(const std::string& name) const { return scratch_.file(name); }
  test::ScratchFolder scratch_;
};

TEST_F(RunFolders, EverythingInAFolderIsRead) {
  write_example_run(folder("a"), "bnn+cub", 7);
  const RunInput run = read_run(folder("a"));
  EXPECT_EQ(run.label, "bnn+cub");
  EXPECT_EQ(run.record.seed, 7U);
  EXPECT_EQ(run.record.data_name, "sets/lesions");
  EXPECT_EQ(run.record.recipe, "seed = 1 # <tag>");
  EXPECT_EQ(run.test.logits.columns.size(), 3U);
  EXPECT_EQ(run.test.hash.size(), 16U);
  ASSERT_TRUE(run.validation);
  ASSERT_TRUE(run.outliers);
  ASSERT_EQ(run.epochs.size(), 2U);
  EXPECT_EQ(run.epochs[1].epoch, 2);
  EXPECT_EQ(run.epochs[1].values().at("validation.accuracy"), 0.7);
  EXPECT_FALSE(run.attached);
}

TEST_F(RunFolders, ColumnsOfNumbersAreReadAsText) {
  const LogitsFile file = example_logits(1);
  const std::size_t samples = file.labels.size();
  std::filesystem::create_directories(folder("a"));
  NpzWriter npz(folder("a/test.npz"));
  npz.add("logits", file.logits);
  npz.add("labels", ArrayView<const std::int64_t>(file.labels), {samples});
  npz.add("column_age", ArrayView<const std::int64_t>(std::vector<std::int64_t>(samples, 61)),
          {samples});
  std::vector<double> doses(samples, 0.25);
  doses[1] = std::nan("");
  npz.add("column_dose", ArrayView<const double>(doses), {samples});
  npz.finish();
  const RunInput run = read_run(folder("a"));
  ASSERT_EQ(run.test.logits.columns.size(), 2U);
  EXPECT_EQ(run.test.logits.columns[0].name, "age");
  EXPECT_EQ(run.test.logits.columns[0].values[7], "61");
  EXPECT_EQ(run.test.logits.columns[1].values[0], "0.25");
  EXPECT_EQ(run.test.logits.columns[1].values[1], "");
}

TEST_F(RunFolders, AFolderWithLogitsAloneIsNamedAfterItself) {
  std::filesystem::create_directories(folder("mine"));
  write_logits_file(folder("mine/test.npz"), example_logits(1));
  EXPECT_EQ(read_run(folder("mine/")).label, "mine");
}

TEST_F(RunFolders, SaysHowToGetMissingLogitsInTheCallersWords) {
  std::filesystem::create_directories(folder("empty"));
  const std::string missing = "'" + folder("empty") + "' has no logits of test images yet";
  ReportOptions options;
  options.advice_on_logits = [](const std::string& of, const std::string& split) {
    return "ask for " + split + " of " + of;
  };
  test::expect_error<DataError>([&] { read_run(folder("empty"), options); },
                                missing + ": ask for test of " + folder("empty"));
  test::expect_error<DataError>([&] { read_run(folder("empty")); }, missing);
  test::expect_error<IoError>([&] { read_run(folder("nowhere")); }, "there is no such folder");
}

TEST_F(RunFolders, RefusesWhatDoesNotFit) {
  write_example_run(folder("a"), "bnn", 1);
  LogitsFile unlabelled = example_logits(1);
  unlabelled.has_labels = false;
  unlabelled.labels.clear();
  write_logits_file(folder("a/test.npz"), unlabelled);
  test::expect_error<DataError>([&] { read_run(folder("a")); }, "has no array 'labels' [N]");
  write_example_run(folder("b"), "bnn", 1);
  write_file_atomically(folder("b/record.json"), "[1, 2]");
  test::expect_error<DataError>([&] { read_run(folder("b")); },
                                "record.json' is not a JSON object");
  write_example_run(folder("b"), "bnn", 1);
  std::string record = read_text_file(folder("b/record.json"), 10000);
  record.replace(record.find("seed = 1 #"), 10, "seed = 2 #");
  write_file_atomically(folder("b/record.json"), record);
  test::expect_error<DataError>([&] { read_run(folder("b")); },
                                "record.json' is not the one its hash");
  write_example_run(folder("c"), "bnn", 1);
  LogitsFile two;
  two.logits = NdArray(DType::kF32, {2, 3, 2});
  write_logits_file(folder("c/val.npz"), two);
  test::expect_error<DataError>([&] { read_run(folder("c")); }, "val.npz' has 2 classes, but");
}

TEST_F(RunFolders, ALineThatWasCutShortIsLeftOut) {
  write_example_run(folder("a"), "bnn", 1);
  const std::string line = R"({"stage":1,"epoch":1,"loss":0.9})";
  write_file_atomically(folder("a/metrics.jsonl"), line + "\n{\"stage\":1,\"ep");
  EXPECT_EQ(read_run(folder("a")).epochs.size(), 1U);
  write_file_atomically(folder("a/metrics.jsonl"), "{\"stage\":1,\"ep\n" + line + "\n");
  test::expect_error<DataError>([&] { read_run(folder("a")); }, "line 1 of");
}

TEST_F(RunFolders, TheCalibrationOfTheModelComesFirst) {
  write_example_run(folder("a"), "bnn", 1);
  Calibration calibration;
  calibration.method = CalibrationMethod::kDts;
  calibration.classes = 3;
  calibration.thresholds = thresholds_from_eta(0.325, 3);
  calibration.t_high = 0.8;
  save_calibration(folder("a/calibration-dts.json"), calibration);
  EXPECT_EQ(read_run(folder("a")).calibrations.size(), 1U);
  calibration.t_high = 0.7;
  write_file_atomically(folder("a/best/model.json"),
                        "{\"calibration\":" + calibration_to_json(calibration) + "}");
  const RunInput run = read_run(folder("a"));
  ASSERT_EQ(run.calibrations.size(), 1U);
  EXPECT_EQ(run.calibrations[0].t_high, 0.7);
  EXPECT_EQ(run.attached, CalibrationMethod::kDts);
}

TEST_F(RunFolders, DetectorsAreRead) {
  write_example_run(folder("a"), "bnn", 1);
  write_file_atomically(folder("a/ood.json"), R"({"format":"cubcal-ood","rows":[
    {"title":"kNN","auroc":0.7,"auroc_interval":[0.6,0.8],"aupr":0.5,"fpr95":0.9,
     "categories":{"nih":{"auroc":0.65}}}]})");
  const RunInput run = read_run(folder("a"));
  ASSERT_EQ(run.detectors.size(), 1U);
  ASSERT_EQ(run.detectors[0].categories.size(), 1U);
  EXPECT_EQ(run.detectors[0].categories[0].name, "nih");
  EXPECT_EQ(run.detectors[0].all.auroc.interval->second, 0.8);
  write_file_atomically(folder("a/ood.json"), R"({"format":"cubcal-ood","rows":[{"title":"x"}]})");
  test::expect_error<DataError>([&] { read_run(folder("a")); },
                                "a row needs 'auroc', a share from 0 to 1");
}

}  // namespace
}  // namespace cubcal::report
