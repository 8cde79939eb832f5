#include "cubcal/shard/shard.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "cubcal/core/error.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

Environment variables(const std::map<std::string, std::string>& values) {
  auto kept = std::make_shared<std::map<std::string, std::string>>(values);
  return [kept](const char* name) -> const char* {
    const auto found = kept->find(name);
    return found == kept->end() ? nullptr : found->second.c_str();
  };
}

Environment slurm(const std::string& id, const std::string& count, const std::string& first,
                  const std::string& last) {
  return variables({{"SLURM_ARRAY_TASK_ID", id},
                    {"SLURM_ARRAY_TASK_COUNT", count},
                    {"SLURM_ARRAY_TASK_MIN", first},
                    {"SLURM_ARRAY_TASK_MAX", last}});
}

TEST(Shard, IsReadAsItIsWritten) {
  EXPECT_EQ(parse_shard("2/4", variables({})), (Shard{2, 4}));
  // A scheduler's variables change nothing unless they are asked for.
  EXPECT_EQ(parse_shard("2/4", slurm("7", "8", "1", "8")), (Shard{2, 4}));
  for (const char* text :
       {"", "2", "/4", "2/", "2/4/8", "a/4", "-1/4", "2/0", "2/100001", "2 /4"}) {
    expect_error<ArgumentError>([&] { parse_shard(text, variables({})); }, "the option 'shard'");
  }
  for (const char* text : {"0/4", "5/4"}) {
    expect_error<ArgumentError>([&] { parse_shard(text, variables({})); },
                                "they count from 1 to 4");
  }
}

TEST(Shard, ASlurmArrayCountsFromZeroOrOne) {
  EXPECT_EQ(parse_shard("auto", slurm("0", "4", "0", "3")), (Shard{1, 4}));
  EXPECT_EQ(parse_shard("auto", slurm("3", "4", "0", "3")), (Shard{4, 4}));
  EXPECT_EQ(parse_shard("auto", slurm("3", "4", "1", "4")), (Shard{3, 4}));
}

TEST(Shard, APartOfASlurmArrayDoesNotPassForAWholeOne) {
  for (const Environment& part : {slurm("3", "1", "3", "3"), slurm("7", "2", "3", "7"),
                                  slurm("1", "2", "1", "3"), slurm("9", "4", "0", "3")}) {
    expect_error<ArgumentError>([&] { parse_shard("auto", part); }, "auto/16");
  }
  EXPECT_EQ(parse_shard("auto/8", slurm("7", "2", "3", "7")), (Shard{7, 8}));
  expect_error<ArgumentError>([&] { parse_shard("auto/8", slurm("0", "8", "0", "7")); },
                              "no shard 0/8");
  expect_error<ArgumentError>([&] { parse_shard("auto", slurm("x", "8", "0", "7")); },
                              "SLURM_ARRAY_TASK_ID must be a whole number");
}

TEST(Shard, AKubernetesJobNeedsTheNumber) {
  const Environment pod = variables({{"JOB_COMPLETION_INDEX", "3"}});
  EXPECT_EQ(parse_shard("auto/4", pod), (Shard{4, 4}));
  expect_error<ArgumentError>([&] { parse_shard("auto", pod); }, "how many completions");
}

TEST(Shard, AutoWithoutOneSchedulerIsRefused) {
  expect_error<ArgumentError>([&] { parse_shard("auto", variables({})); }, "neither is set");
  const Environment both = variables({{"JOB_COMPLETION_INDEX", "3"}, {"SLURM_ARRAY_TASK_ID", "1"}});
  expect_error<ArgumentError>([&] { parse_shard("auto/4", both); }, "both are set");
}

TEST(Shard, NamesGoToTheSameShardEverywhereAndToAllAlike) {
  // Recorded: another assignment would tear a job that is half done.
  EXPECT_EQ(shard_of("scans/1.png", 4), 2U);
  EXPECT_EQ(shard_of("scans/2.png", 4), 4U);
  for (const std::size_t count : {2U, 3U, 16U}) {
    std::vector<std::size_t> sizes(count, 0);
    constexpr std::size_t kNames = 16000;
    for (std::size_t i = 0; i < kNames; ++i) {
      ++sizes.at(shard_of("scans/image" + std::to_string(i) + ".png", count) - 1);
    }
    const double expected = static_cast<double>(kNames) / static_cast<double>(count);
    for (const std::size_t size : sizes) {
      EXPECT_NEAR(static_cast<double>(size), expected, 6 * std::sqrt(expected));
    }
  }
}

TEST(Shard, FilesSortAsShardsDo) {
  EXPECT_EQ(shard_path("out/answers.jsonl", {2, 16}), "out/answers.02-of-16.jsonl");
  EXPECT_EQ(shard_path("val.npz", {4, 4}), "val.4-of-4.npz");
}

}  // namespace
}  // namespace cubcal
