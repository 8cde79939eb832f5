// bench as a user meets it: the program in a second process, on the smallest network.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"

namespace cubcal::test {
namespace {

std::vector<std::string> small_bench(std::vector<std::string> more) {
  std::vector<std::string> arguments = {"bench",     "--network", "small-resnet",
                                        "--size",    "32",        "--mc",
                                        "2",         "--images",  "4",
                                        "--batch",   "4",         "--passes",
                                        "2",         "--seconds", "0",
                                        "--threads", "1"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

TEST(BenchCommand, MeasuresEachJobAndItsCeiling) {
  const Outcome outcome = run_cubcal(small_bench({"--format", "json"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto json = nlohmann::json::parse(outcome.out);
  EXPECT_GT(json["copy_bytes_per_second"], 1e8);
  EXPECT_GT(json["normals_per_second"], 1e6);
  ASSERT_EQ(json["rows"].size(), 3U);
  for (const auto& row : json["rows"]) {
    EXPECT_GT(row["seconds"], 0) << row;
    EXPECT_GE(row["seconds"], row["seconds_low"]) << row;
    EXPECT_LE(row["seconds"], row["seconds_high"]) << row;
    EXPECT_GT(row["ceiling_seconds"], 0) << row;
    EXPECT_EQ(row["precision"], "fp32");
  }
  EXPECT_EQ(json["rows"][1]["images"], 4);
}

TEST(BenchCommand, WritesTablesForPagesAndSheets) {
  const ScratchFolder scratch;
  const Outcome csv = run_cubcal(small_bench({"--jobs", "one", "--format", "csv"}));
  ASSERT_EQ(csv.exit_code, 0) << csv.err;
  EXPECT_EQ(csv.out.rfind("job,network,px,images,passes,precision,median", 0), 0U) << csv.out;
  const Outcome page =
      run_cubcal(small_bench({"--jobs", "one", "--format", "md", "-o", scratch.file("b.md")}));
  ASSERT_EQ(page.exit_code, 0) << page.err;
  EXPECT_NE(contents_of(scratch.file("b.md")).find("| one image | small-resnet | 32 | 1 | 2 |"),
            std::string::npos);
  EXPECT_EQ(page.out, "wrote " + scratch.file("b.md") + "\n");
}

TEST(BenchCommand, GrowthAloneHasNoTable) {
  const Outcome outcome = run_cubcal(small_bench({"--jobs", "growth"}));
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("predict against passes:"), std::string::npos) << outcome.out;
  EXPECT_EQ(outcome.out.find("network"), std::string::npos) << outcome.out;
}

TEST(BenchCommand, MeasuresNothingThatCannotBeWritten) {
  const ScratchFolder scratch;
  const Outcome outcome = run_cubcal(small_bench({"-o", scratch.file("nope/b.csv")}));
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("its folder does not exist"), std::string::npos) << outcome.err;
  EXPECT_EQ(outcome.err.find("measuring"), std::string::npos) << outcome.err;
}

TEST(BenchCommand, RefusesWhatACpuCannotDo) {
  const Outcome outcome = run_cubcal(small_bench({"--precision", "bf16"}));
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("precision bf16 needs a GPU"), std::string::npos) << outcome.err;
  EXPECT_EQ(run_cubcal({"bench", "--network", "vgg"}).exit_code, 2);
}

}  // namespace
}  // namespace cubcal::test
