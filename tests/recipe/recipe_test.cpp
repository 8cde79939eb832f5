#include "cubcal_nn/recipe/recipe.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include "cubcal/core/error.h"
#include "cubcal/core/nearest_name.h"
#include "expect_error.h"

namespace cubcal {
namespace {

using test::expect_error;

constexpr const char* kTwoStages = R"(
seed = 7
[data]
kind = "phantom"
[data.phantom]
train = 100
[stage1]
epochs = 3
[stage2]
method = "bnn+cub"
epochs = 10
beta = 0.6
beta_mode = "auto"
)";

Recipe parse(const std::string& text, const std::vector<std::string>& overrides = {}) {
  return parse_recipe(text, "r.toml", overrides);
}

std::string setting(const Recipe& recipe, const std::string& key) {
  const std::map<std::string, std::string> settings(recipe.settings.begin(), recipe.settings.end());
  return settings.at(key);
}

TEST(Recipe, ReadsWhatItSaysAndDefaultsTheRest) {
  const Recipe recipe = parse(kTwoStages);
  EXPECT_EQ(recipe.run.seed, 7U);
  EXPECT_EQ(recipe.data.phantom.seed, 7U) << "the set is drawn from the run's seed";
  EXPECT_EQ(recipe.data.phantom.train, 100U);
  ASSERT_EQ(recipe.run.stages.size(), 2U);
  EXPECT_EQ(recipe.run.stages[0].method.name, "deterministic");
  EXPECT_EQ(recipe.run.stages[0].start, StageStart::kScratch);
  EXPECT_EQ(recipe.run.stages[0].training_passes(), 1);
  EXPECT_EQ(recipe.run.stages[1].method.name, "bnn+cub");
  EXPECT_EQ(recipe.run.stages[1].start, StageStart::kPrevious);
  EXPECT_EQ(recipe.run.stages[1].training_passes(), 5);
  EXPECT_EQ(setting(recipe, "stage2.beta_mode"), "\"auto\"");
  EXPECT_EQ(setting(recipe, "stage2.beta"), "0.6");
}

TEST(Recipe, AFolderIsNoRecipe) {
  expect_error<ArgumentError>(
      [] { load_recipe("."); },
      "'.' is a folder, and a recipe is a TOML file; a run's folder is named "
      "by the option 'out'");
}

TEST(Recipe, ThreadsHaveTheBoundOfTheOption) {
  EXPECT_EQ(parse(kTwoStages, {"threads=1024"}).threads, 1024U);
  expect_error<ArgumentError>([] { parse(kTwoStages, {"threads=1025"}); },
                              "'threads': must be at most 1024");
}

TEST(Recipe, BetaMayFollowTheCrossEntropy) {
  const Recipe recipe = parse(kTwoStages, {"stage2.beta_mode='share'", "stage2.beta_share=0.3"});
  EXPECT_EQ(setting(recipe, "stage2.beta_mode"), "\"share\"");
  EXPECT_EQ(setting(recipe, "stage2.beta_share"), "0.3");
  expect_error<ArgumentError>([] { parse(kTwoStages, {"stage2.beta_mode='half'"}); },
                              "must be fixed, share or auto, not 'half'");
}

TEST(Recipe, AnObjectiveHasTheOptionsOfItsStage) {
  const auto warmup = [](const char* method) {
    const std::string override = "stage2.method='" + std::string(method) + "'";
    const Recipe recipe = parse(kTwoStages, {override, "stage2.beta_warmup_epochs=1"});
    return recipe.run.stages[1].method.objective->warmup_epochs();
  };
  EXPECT_EQ(warmup("bnn+cub"), 1);
  EXPECT_EQ(warmup("bnn+avuc"), 0) << "of another method: known, and of no effect";
}

TEST(Recipe, NothingIsAugmentedUnlessNamed) {
  EXPECT_FALSE(changes_images(parse(kTwoStages).run.augmentation));
  const AugmentationOptions one =
      parse(kTwoStages, {"augmentation.horizontal_flip=true"}).run.augmentation;
  EXPECT_TRUE(one.horizontal_flip);
  EXPECT_FALSE(one.vertical_flip);
  EXPECT_EQ(one.shift, 0);
  EXPECT_EQ(one.rotation, 0);
}

TEST(Recipe, SaysHowImagesAreNormalised) {
  EXPECT_EQ(parse(kTwoStages).run.normalise.with, NormaliseWith::kAutomatic);
  const auto with = [](const char* value) {
    return parse(kTwoStages, {std::string("data.normalise=") + value}).run.normalise;
  };
  EXPECT_EQ(with("train").with, NormaliseWith::kTrain);
  EXPECT_EQ(with("'imagenet'").with, NormaliseWith::kImageNet);
  EXPECT_EQ(with("model").with, NormaliseWith::kModel);
  const NormaliseOptions given = with("[[0.5, 0.4, 0.3], [0.2, 0.2, 0.1]]");
  EXPECT_EQ(given.with, NormaliseWith::kGiven);
  EXPECT_EQ(given.mean, (std::vector<double>{0.5, 0.4, 0.3}));
  EXPECT_EQ(given.standard_deviation, (std::vector<double>{0.2, 0.2, 0.1}));
  for (const char* bad : {"[[0.5], [0.2, 0.1]]", "[[0.5]]", "[[], []]"}) {
    expect_error<ArgumentError>([&] { with(bad); }, "a list of means and one of as many");
  }
  expect_error<ArgumentError>([&] { with("zscore"); }, "must be auto, train, imagenet or model");
}

TEST(Recipe, NormMomentumIsOfAStepOrOfAPass) {
  const auto of_pass = [](const char* per) {
    return parse(kTwoStages,
                 {"stage2.norm_momentum=0.1", std::string("stage2.norm_momentum_per=") + per})
        .run.stages[1]
        .norm_momentum_of_pass();
  };
  EXPECT_EQ(of_pass("pass"), 0.1) << "five passes move the statistics five times, as in PyTorch";
  EXPECT_NEAR(1 - std::pow(1 - of_pass("step"), 5), 0.1, 1e-12);
}

TEST(Recipe, ThresholdsAndBoxesOfCalibration) {
  const CalibrationPlan plain = parse(kTwoStages).experiment.calibration;
  EXPECT_FALSE(plain.thresholds || plain.box || plain.box_high || plain.box_low);
  const Recipe recipe =
      parse(kTwoStages, {"calibration.thresholds=[0.9, 0.923]", "calibration.t=[0.8, 1.25]",
                         "calibration.t_high=[0.8, 1]", "calibration.t_low=[1, 1.25]"});
  const CalibrationPlan& plan = recipe.experiment.calibration;
  const FitOptions dts = plan.fit_options(CalibrationMethod::kDts);
  ASSERT_TRUE(dts.thresholds && dts.box_high && dts.box_low);
  EXPECT_EQ(dts.thresholds->gamma_high, 0.923);
  EXPECT_EQ(dts.thresholds->eta, 0.325);
  EXPECT_EQ(dts.box_high->low, 0.8);
  EXPECT_EQ(dts.box_low->high, 1.25);
  EXPECT_EQ(plan.fit_options(CalibrationMethod::kTsBcce).box->high, 1.25);
  EXPECT_FALSE(plan.fit_options(CalibrationMethod::kDtsGuarded).box_high) << "it has its own";
  EXPECT_EQ(recipe.text.find("calibration"), std::string::npos) << "training does not depend on it";
  expect_error<ArgumentError>([] { parse(kTwoStages, {"calibration.t=[1.2, 0.8]"}); },
                              "'calibration.t': must be two positive temperatures");
  expect_error<ArgumentError>([] { parse(kTwoStages, {"calibration.thresholds=[0.95, 0.9]"}); },
                              "'calibration.thresholds'");
}

TEST(Recipe, AStageMayHaveClassWeightsOfItsOwn) {
  const Recipe recipe =
      parse(kTwoStages, {"loss.class_weight_power=0.5", "stage2.class_weight_power=0"});
  EXPECT_FALSE(recipe.run.stages[0].class_weight_power);
  EXPECT_EQ(recipe.run.stages[1].class_weight_power, 0);
  expect_error<ArgumentError>([] { parse(kTwoStages, {"stage2.class_weight_power=9"}); },
                              "a stage's class_weight_power");
}

TEST(Recipe, EverySettingInForceIsKnown) {
  const Recipe recipe = parse(kTwoStages, {"stages=[2]", "model.pretrained=a"});
  std::map<std::string, std::string> settings(recipe.settings.begin(), recipe.settings.end());
  EXPECT_EQ(settings.size(), recipe.settings.size()) << "each once";
  EXPECT_EQ(settings.at("seed"), "7");
  EXPECT_EQ(settings.at("augmentation.vertical_flip"), "false") << "a default";
  EXPECT_EQ(settings.at("stage2.beta"), "0.6");
  EXPECT_EQ(settings.at("stage2.beta_mode"), "\"auto\"");
  EXPECT_EQ(settings.at("data.normalise"), "\"auto\"");
  EXPECT_EQ(settings.count("stage1.epochs"), 0U) << "a stage that is not run";
  EXPECT_EQ(settings.count("stage2.avuc_weight"), 0U) << "an option of another method";
}

TEST(Recipe, APathMayHoldAnySign) {
  const std::string path = "o'neil \"x\" \\ é";
  EXPECT_EQ(parse(kTwoStages, {text_override("data.path", path)}).data.path, path);
}

TEST(Recipe, LettersOutsideTextAreRefused) {
  const std::string words = "line 2: this is not TOML";
  for (const char* text : {"# é\né = 1", "\n[stage1]é", "\nseed = 1\xC2\xA1", "\nseed = \xFF"}) {
    expect_error<ArgumentError>([&] { parse(text); }, words);
  }
  EXPECT_EQ(parse("\xEF\xBB\xBF# é\n" + std::string(kTwoStages), {"data.path=é"}).data.path, "é");
}

TEST(Recipe, NumbersAreFinite) {
  expect_error<ArgumentError>([] { parse("\nx = [[1, inf]]"); },
                              "line 2: numbers of a recipe must be finite");
  expect_error<ArgumentError>([] { parse(kTwoStages, {"stage2.learning_rate=nan"}); },
                              "numbers of a recipe must be finite");
}

TEST(Recipe, NestingIsLimited) {
  const std::string words = "nested too deeply: at most 16 levels are accepted";
  std::string key = "a";
  for (int i = 0; i < 200000; ++i) key += ".a";
  for (const std::string& text :
       {"\n" + key + " = 1", "\n[" + key + "]", "\nx = {" + key + " = 1}",
        "\nx = " + std::string(200, '['), "\nx = '''\n''' \n" + key + " = 1"}) {
    expect_error<ArgumentError>([&] { parse(text); }, words);
  }
  expect_error<ArgumentError>([&] { parse("\n\n[" + key + "]"); }, "r.toml, line 3: ");
  // A long string may end with quotes of its own.
  expect_error<ArgumentError>([&] { parse("x = [\"\"\"a\"\"\"\", {" + key + " = 1}]"); }, words);
  expect_error<ArgumentError>([&] { parse(kTwoStages, {key + "=1"}); }, words);
  expect_error<ArgumentError>([&] { parse(kTwoStages, {"seed=" + std::string(200, '[')}); }, words);
  EXPECT_NO_THROW(parse(kTwoStages, {"model.pretrained=../../../../../../../../../weights"}));
  const std::string dots = "'a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r' # " + std::string(99, '.');
  EXPECT_NO_THROW(parse(std::string(kTwoStages) + "[model]\npretrained = " + dots));
}

TEST(Recipe, ItsTextReadsBackAsTheSameText) {
  const Recipe recipe = parse(kTwoStages, {"stage2.learning_rate=4e-4", "stage2.beta=0.1"});
  const Recipe again = parse(recipe.text);
  EXPECT_EQ(again.text, recipe.text);
  EXPECT_EQ(again.run.stages[1].learning_rate.peak, 4e-4);
}

TEST(Recipe, AnUnknownKeyIsNamedWithLineAndNearestKey) {
  expect_error<ArgumentError>([] { parse("[stage1]\nepochs = 2\nlearning_rat = 0.1\n"); },
                              "r.toml, line 3: there is no key 'stage1.learning_rat'; did you mean "
                              "'stage1.learning_rate'?");
  expect_error<ArgumentError>([] { parse("[stage1]\n[outptu]\n"); }, "did you mean 'output'?");
  expect_error<ArgumentError>([] { parse("[stage1]\n[validation]\nxyzzy = 1\n"); },
                              "known are passes, batch");
}

TEST(Recipe, TypesAndNamesAreChecked) {
  expect_error<ArgumentError>([] { parse("[stage1]\nepochs = 2.5\n"); },
                              "r.toml, line 2: 'stage1.epochs' must be a whole number");
  expect_error<ArgumentError>([] { parse("[stage1]\nmomentum = \"much\"\n"); },
                              "'stage1.momentum' must be a number");
  expect_error<ArgumentError>([] { parse("[stage1]\nnesterov = 1\n"); }, "must be true or false");
  expect_error<ArgumentError>([] { parse("seed = -1\n[stage1]\n"); }, "not negative");
  expect_error<ArgumentError>([] { parse("stage1 = 3\n"); }, "'stage1' must be a table");
  expect_error<ArgumentError>(
      [] { parse("[stage2]\nmethod = \"bnn-cub\"\n"); },
      "line 2: 'stage2.method': there is no training method 'bnn-cub'; known are deterministic");
}

TEST(Recipe, ValuesAreChecked) {
  expect_error<ArgumentError>([] { parse("[stage1]\nepochs = 0\n"); }, "r.toml: epochs");
  expect_error<ArgumentError>([] { parse("seed = 1\n"); }, "at least one stage");
  expect_error<ArgumentError>([] { parse("[stage2]\nepochs = 5\n"); },
                              "leaves none of the 5 epochs for CUB-Loss");
  expect_error<ArgumentError>([] { parse("[data]\nkind = \"path\"\n[stage1]\n"); }, "needs a path");
}

TEST(Recipe, TextThatIsNoTomlIsAnErrorWithALine) {
  expect_error<ArgumentError>([] { parse("[stage1]\nepochs = = 2\n"); },
                              "r.toml, line 2: this is not TOML");
  expect_error<ArgumentError>([] { parse("a\nb\n"); }, "this is not TOML");
}

TEST(Recipe, OverridesAreTomlOrText) {
  const Recipe recipe =
      parse(kTwoStages, {"stage2.method=bnn", "stage1.epochs=4", "data.phantom.train=50",
                         "stages=[2]", "model.pretrained=runs/a/last"});
  ASSERT_EQ(recipe.run.stages.size(), 1U);
  EXPECT_EQ(recipe.run.stages[0].method.name, "bnn");
  EXPECT_EQ(recipe.run.pretrained, "runs/a/last");
  EXPECT_EQ(recipe.data.phantom.train, 50U);
  expect_error<ArgumentError>([] { parse(kTwoStages, {"stage2.bta=1"}); },
                              "an override of r.toml: there is no key 'stage2.bta'; did you mean "
                              "'stage2.beta'?");
  expect_error<ArgumentError>([] { parse(kTwoStages, {"stage2.beta"}); }, "section.key=value");
  expect_error<ArgumentError>([] { parse(kTwoStages, {"seed.x=1"}); }, "which is not a table");
}

TEST(Recipe, ListedStagesMustExist) {
  expect_error<ArgumentError>([] { parse("stages = [1, 2]\n[stage1]\n"); }, "there is no [stage2]");
}

TEST(Recipe, TheProvenanceTellsRecipesAndDataApart) {
  Recipe recipe = parse(kTwoStages, {"data.phantom.val=20", "data.phantom.test=20",
                                     "data.phantom.ood=8", "data.phantom.image_size=16"});
  const ImageSet set = load_data(recipe.data);
  const Provenance provenance = make_provenance(recipe, set);
  EXPECT_EQ(provenance.recipe, recipe.text);
  EXPECT_EQ(provenance.seed, 7U);
  recipe.data.phantom.seed = 8;
  EXPECT_NE(make_provenance(recipe, load_data(recipe.data)).data_hash, provenance.data_hash);
}

TEST(Recipe, TheOnesThatShipAreValid) {
  std::set<std::string> networks;
  for (const auto& entry : std::filesystem::directory_iterator(CUBCAL_RECIPES)) {
    if (entry.path().extension() != ".toml") continue;
    SCOPED_TRACE(entry.path().string());
    const Recipe recipe = load_recipe(entry.path().string());
    check_run_options(recipe.run);
    networks.insert(recipe.run.network);
    ASSERT_EQ(recipe.run.stages.size(), 2U);
    EXPECT_EQ(recipe.run.stages[1].method.name, "bnn+cub");
  }
  EXPECT_EQ(networks,
            (std::set<std::string>{"covidnet-large", "resnet34", "resnet50-v1", "small-resnet"}));
}

TEST(NearestName, IsNoneWhereNothingIsNear) {
  EXPECT_EQ(nearest_name("epoch", {"batch", "epochs"}), "epochs");
  EXPECT_EQ(nearest_name("xyzzy", {"batch", "epochs"}), "");
}

}  // namespace
}  // namespace cubcal
