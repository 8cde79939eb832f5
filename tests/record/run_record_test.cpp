#include "cubcal/record/run_record.h"

#include <gtest/gtest.h>

#include "cli/program.h"
#include "cubcal/core/content_hash.h"
#include "cubcal/core/error.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/run_folder.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

RunRecord example_run() {
  RunRecord run;
  run.program = "cubcal 0.2.0";
  run.libtorch = "1.13.1";
  run.device = "cpu";
  run.precision = "auto";
  run.threads = 2;
  run.convolution = "panels";
  run.seed = 7;
  run.network = "small-resnet";
  run.data = "sets/o'neil";
  run.data_hash = "0123456789abcdef";
  run.recipe = "seed = 7\n";
  run.recipe_hash = content_hash(run.recipe);
  run.settings = {{"seed", "7"}, {"stage1.method", "\"bnn\""}};
  run.pretrained_hash = "89ab";
  run.prior_precision = 31.622776601683793;
  run.stages = {{"deterministic", 3, true, "accuracy", 1.5, {2, {{"nll", 0.5}}}, {3, {}}},
                {"bnn", 4, false, "nll", 2.5, {}, {4, {{"nll", 0.25}}}}};
  return run;
}

TEST(RunRecord, IsReadAsItWasWritten) {
  const ScratchFolder folder;
  const RunFolder run{folder.file("run")};
  std::filesystem::create_directory(run.path);
  write_run_record(run.record(), example_run());
  const std::string text = read_text_file(run.record(), 10000);
  const RunRecord read = read_run_record(run.record());
  EXPECT_EQ(read.seed, 7U);
  EXPECT_EQ(read.data, "sets/o'neil");
  EXPECT_EQ(read.settings, example_run().settings);
  ASSERT_EQ(read.stages.size(), 2U);
  EXPECT_TRUE(read.stages[0].stopped_early);
  EXPECT_EQ(read.stages[0].best.validation.at("nll"), 0.5);
  EXPECT_EQ(read.stages[1].last.epoch, 4);
  EXPECT_EQ(read.pretrained_hash, "89ab");
  EXPECT_EQ(read.prior_precision, 31.622776601683793);
  write_run_record(run.record(), read);
  EXPECT_EQ(read_text_file(run.record(), 10000), text);
}

TEST(RunRecord, WhatIsAbsentIsNotKnown) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("record.json"), "{}");
  const RunRecord run = read_run_record(folder.file("record.json"));
  EXPECT_TRUE(run.network.empty());
  EXPECT_FALSE(run.seed);
  EXPECT_FALSE(run.threads);
  EXPECT_TRUE(run.stages.empty());
  EXPECT_TRUE(run.pretrained_hash.empty());
  EXPECT_FALSE(run.prior_precision);
  write_run_record(folder.file("record.json"), run);
  const std::string text = read_text_file(folder.file("record.json"), 10000);
  EXPECT_EQ(text.find("pretrained_hash"), std::string::npos) << text;
  EXPECT_EQ(text.find("prior_precision"), std::string::npos) << text;
}

TEST(RunRecord, SaysWhatIsWrong) {
  const ScratchFolder folder;
  const std::string path = folder.file("record.json");
  const auto expect = [&](const std::string& text, const char* what) {
    write_file_atomically(path, text);
    expect_error<DataError>([&] { read_run_record(path); }, what);
  };
  expect("[1]", "record.json' is not a JSON object");
  expect(R"({"format": "cubcal-result"})", "its format is 'cubcal-result'");
  expect(R"({"version": 2})", "it is of version 2, and cubcal reads 1");
  expect(R"({"network": 3})", "the run's field 'network' must be text, not number 3");
  expect(R"({"stages": {}})", "the run's field 'stages' must be a list of objects, not object");
  expect(R"({"stages": [1]})", "'stages' must be a list of objects, not number 1");
  expect(R"({"recipe": "text"})", "the run's field 'recipe' must be an object, not string");
  expect(R"({"recipe": {"text": "seed = 1", "hash": "0000000000000000"}})",
         "record.json' is not the one its hash");
}

TEST(RunFolder, HasOnePlaceForEachFile) {
  const RunFolder run{"runs/a"};
  EXPECT_EQ(run.logits("val"), "runs/a/val.npz");
  EXPECT_EQ(run.calibration("dts"), "runs/a/calibration-dts.json");
  EXPECT_EQ(run.best(), "runs/a/best");
  EXPECT_EQ(run.best(0, 2), "runs/a/stage1/best");
  EXPECT_EQ(run.last(1, 2), "runs/a/last");
}

}  // namespace
}  // namespace cubcal::test
