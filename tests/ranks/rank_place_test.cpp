#include "cubcal_nn/ranks/rank_place.h"

#include <gtest/gtest.h>

#include <map>

#include "cubcal/core/error.h"
#include "cubcal_nn/ranks/share.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

using Variables = std::map<std::string, std::string>;

RankPlace place_of(const Variables& variables) {
  return rank_place([&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

void expect_refused(const Variables& variables, const std::string& text) {
  expect_error<ArgumentError>([&] { place_of(variables); }, text);
}

TEST(RankPlace, TakesTorchrunsVariables) {
  const RankPlace place = place_of({{"RANK", "3"},
                                    {"WORLD_SIZE", "4"},
                                    {"LOCAL_RANK", "1"},
                                    {"LOCAL_WORLD_SIZE", "2"},
                                    {"MASTER_ADDR", "node1"},
                                    {"MASTER_PORT", "1234"},
                                    {"SLURM_PROCID", "0"},
                                    {"SLURM_NTASKS", "1"}});
  EXPECT_EQ(place.rank, 3);
  EXPECT_EQ(place.size, 4);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.local_size, 2);
  EXPECT_EQ(place.address, "node1");
  EXPECT_EQ(place.port, 1234);
  EXPECT_EQ(place.launcher, "torchrun");
  EXPECT_FALSE(place.hosts_store);
}

TEST(RankPlace, TorchrunsAgentOpensTheMeetingPoint) {
  Variables variables = {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "node1"}};
  EXPECT_TRUE(place_of(variables).hosts_store);
  variables["TORCHELASTIC_USE_AGENT_STORE"] = "True";
  variables["TORCHELASTIC_RESTART_COUNT"] = "2";
  EXPECT_FALSE(place_of(variables).hosts_store);
  EXPECT_EQ(place_of(variables).attempt, "2");
}

TEST(RankPlace, TakesOpenMpisVariables) {
  Variables variables = {{"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "2"},
                         {"OMPI_COMM_WORLD_LOCAL_RANK", "1"},
                         {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                         {"SLURM_PROCID", "0"}};
  const RankPlace place = place_of(variables);
  EXPECT_EQ(place.rank, 1);
  EXPECT_EQ(place.launcher, "Open MPI");
  EXPECT_EQ(place.address, "127.0.0.1");
  variables["OMPI_COMM_WORLD_SIZE"] = "4";
  expect_refused(variables, "MASTER_ADDR is not set");
}

TEST(RankPlace, TakesSlurmsVariables) {
  const RankPlace place = place_of({{"SLURM_PROCID", "5"},
                                    {"SLURM_NTASKS", "8"},
                                    {"SLURM_LOCALID", "1"},
                                    {"SLURM_JOB_ID", "123456"},
                                    {"SLURM_STEP_NODELIST", "gpu[03-05,09]"}});
  EXPECT_EQ(place.rank, 5);
  EXPECT_EQ(place.local_rank, 1);
  EXPECT_EQ(place.address, "gpu03");
  EXPECT_EQ(place.port, 23456);
  EXPECT_EQ(place.launcher, "Slurm");
}

TEST(RankPlace, ReadsTheFirstNodeOfAList) {
  EXPECT_EQ(first_node("n1"), "n1");
  EXPECT_EQ(first_node("n1,n2"), "n1");
  EXPECT_EQ(first_node("n1,m[2-3]"), "n1");
  EXPECT_EQ(first_node("rack-2-n[007,009-011],m1"), "rack-2-n007");
}

TEST(RankPlace, RefusesWhatCannotBe) {
  expect_refused({}, "needs a launcher");
  expect_refused({{"RANK", "0"}}, "RANK is set and WORLD_SIZE is not");
  expect_refused({{"WORLD_SIZE", "2"}}, "WORLD_SIZE is set and RANK is not");
  expect_refused({{"RANK", "2"}, {"WORLD_SIZE", "2"}}, "RANK is 2, but ranks count from 0");
  expect_refused({{"RANK", "one"}, {"WORLD_SIZE", "2"}}, "RANK must be a whole number");
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "0"}}, "WORLD_SIZE must be a whole number from 1");
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}}, "MASTER_ADDR is not set");
  expect_refused({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", ""}}, "MASTER_ADDR is empty");
  expect_refused(
      {{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "n"}, {"MASTER_PORT", "70000"}},
      "MASTER_PORT must be a whole number from 1 to 65535");
}

TEST(Share, CoversEverythingOnce) {
  for (const std::int64_t total : {1, 7, 8, 61}) {
    for (const int ranks : {1, 2, 3, 8}) {
      std::int64_t next = 0;
      for (int rank = 0; rank < ranks; ++rank) {
        const Share share = share_of(total, rank, ranks);
        EXPECT_EQ(share.first, next);
        EXPECT_LE(share.count, total / ranks + 1);
        EXPECT_GE(share.count, total / ranks);
        next += share.count;
      }
      EXPECT_EQ(next, total);
    }
  }
}

}  // namespace
}  // namespace cubcal::test
