#include "cubcal_nn/recipe/experiment_plan.h"

#include <gtest/gtest.h>

#include "cubcal/core/error.h"
#include "cubcal_nn/recipe/recipe.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

const std::string kRecipe = "[stage1]\nepochs = 1\n[stage2]\nepochs = 1\nbeta_warmup_epochs = 0\n";

ExperimentPlan plan_of(const std::string& table) {
  return parse_recipe(kRecipe + table, "r.toml").experiment;
}

std::vector<std::string> ids_of(const std::vector<ExperimentRun>& runs) {
  std::vector<std::string> ids;
  for (const ExperimentRun& run : runs) ids.push_back(run.id());
  return ids;
}

bool has(const std::vector<std::string>& list, const std::string& text) {
  return std::find(list.begin(), list.end(), text) != list.end();
}

TEST(ExperimentPlan, TheGridComesByRegimeSeedAndMethod) {
  const ExperimentPlan plan = plan_of(
      "[experiment]\nregimes = ['full', '25%']\nmethods = ['bnn']\n"
      "[experiment.variants]\n'cub-beta0.1' = ['stage2.method=\"bnn+cub\"', 'stage2.beta=0.1']\n");
  EXPECT_EQ(
      ids_of(experiment_runs(plan, 2)),
      (std::vector<std::string>{
          "full/seed1/deterministic", "full/seed1/bnn", "full/seed1/cub-beta0.1",
          "full/seed2/deterministic", "full/seed2/bnn", "full/seed2/cub-beta0.1",
          "25%/seed1/deterministic", "25%/seed1/bnn", "25%/seed2/deterministic", "25%/seed2/bnn"}));
}

TEST(ExperimentPlan, RunsChangeTheRecipeAsTheirNamesSay) {
  const ExperimentPlan plan = plan_of(
      "[experiment]\nregimes = ['25%', 'balanced']\nmethods = ['mc-dropout']\n"
      "[experiment.set]\nmc-dropout = ['stage2.dropout_rate=0.3']\n");
  const std::vector<ExperimentRun> runs = experiment_runs(plan, 1);
  ASSERT_EQ(runs.size(), 4U);
  EXPECT_TRUE(runs[0].is_start());
  EXPECT_TRUE(has(runs[0].overrides, "stages=[1]"));
  EXPECT_TRUE(has(runs[1].overrides, "data.fraction=0.250000"));
  EXPECT_TRUE(has(runs[1].overrides, "stages=[2]"));
  EXPECT_TRUE(has(runs[1].overrides, "stage2.method='mc-dropout'"));
  EXPECT_TRUE(has(runs[1].overrides, "stage2.passes=1"));
  EXPECT_TRUE(has(runs[1].overrides, "stage2.dropout_rate=0.3"));
  EXPECT_EQ(runs[1].start_id(), "25%/seed1/deterministic");
  EXPECT_TRUE(has(runs[3].overrides, "data.balance=true"));
  for (const ExperimentRun& run : runs) parse_recipe(kRecipe, "r.toml", run.overrides);
}

TEST(ExperimentPlan, OnlyTakesWhatARunStartsFromAlong) {
  const ExperimentPlan plan = plan_of("[experiment]\nmethods = ['bnn', 'bnn+cub']\n");
  EXPECT_EQ(ids_of(experiment_runs(plan, 2, {"*/seed2/bnn"})),
            (std::vector<std::string>{"full/seed2/deterministic", "full/seed2/bnn"}));
  expect_error<ArgumentError>(
      [&] { experiment_runs(plan, 1, {"full/seed9/*"}); },
      "'full/seed9/*' matches no run; there are full/seed1/deterministic, ");
}

TEST(ExperimentPlan, IsNoPartOfARunsRecipe) {
  const std::string table = "[experiment]\nname = 'a'\nseeds = 7\n";
  EXPECT_EQ(parse_recipe(kRecipe + table, "r.toml").text, parse_recipe(kRecipe, "r.toml").text);
  EXPECT_EQ(plan_of(table).seeds, 7U);
}

TEST(ExperimentPlan, ARunDoesNotKnowTheStageItLeavesOut) {
  const auto text = [](const std::string& stages, const std::string& change) {
    return parse_recipe(kRecipe, "r.toml", {"stages=" + stages, change}).text;
  };
  EXPECT_EQ(text("[1]", "stage2.beta=0.1"), text("[1]", "stage2.beta=0.2"));
  EXPECT_NE(text("[1]", "stage1.epochs=7"), text("[1]", "stage1.epochs=8"));
  EXPECT_EQ(text("[2]", "stage1.epochs=7"), text("[2]", "stage1.epochs=8"));
  parse_recipe(text("[2]", "stage2.beta=0.1"), "again.toml");
}

TEST(ExperimentPlan, SaysWhatIsWrong) {
  expect_error<ArgumentError>(
      [] { plan_of("[experiment]\nregimes = ['half']\n"); },
      "r.toml: there is no data regime 'half'; known are full, balanced and a share of "
      "train and val such as 25%");
  EXPECT_THROW(plan_of("[experiment]\nregimes = ['100%']\n"), ArgumentError);
  EXPECT_THROW(plan_of("[experiment]\nmethods = ['bnm']\n"), ArgumentError);
  EXPECT_THROW(plan_of("[experiment]\nmodel = 'worst'\n"), ArgumentError);
  EXPECT_THROW(plan_of("[experiment]\npasses = 0\n"), ArgumentError);
  for (const std::string name : {"a/b", "..", ".", ""}) {
    expect_error<ArgumentError>([&] { plan_of("[experiment.variants]\n'" + name + "' = []\n"); },
                                "the name of a variant becomes a folder's");
  }
  for (const std::string name : {"bnn", "deterministic", "ensemble"}) {
    expect_error<ArgumentError>([&] { plan_of("[experiment.variants]\n'" + name + "' = []\n"); },
                                "a variant cannot be named '" + name + "', which is a method");
  }
  for (const std::string name : {"../../escaped/x", "..", "a/b"}) {
    expect_error<ArgumentError>([&] { plan_of("[experiment]\nname = '" + name + "'\n"); },
                                "experiment.name cannot be '" + name + "': it becomes the name of");
  }
  expect_error<ArgumentError>(
      [] { plan_of("[experiment]\nsed = 1\n"); },
      "r.toml, line 7: there is no key 'experiment.sed'; did you mean 'experiment.set'?");
}

}  // namespace
}  // namespace cubcal::test
