// `cubcal ood` as a user meets it: the program in a second process, on an untrained model.

#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/npz.h"
#include "cubcal_nn/batches/preprocessing.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/infer/provenance.h"
#include "cubcal_nn/models/registry.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "cubcal_nn/phantom/phantom.h"

namespace cubcal::test {
namespace {

using Json = nlohmann::json;

testing::AssertionResult has(const std::string& text, const std::string& words) {
  if (text.find(words) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << words << "' is not in: " << text;
}

class OodCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch = new ScratchFolder;
    PhantomOptions phantom;
    phantom.seed = 3;
    phantom.train = 120;
    phantom.val = 40;
    phantom.test = 40;
    phantom.ood = 24;
    phantom.image_size = 16;
    const ImageSet set = make_phantom_set(phantom).set;
    ModelDescription description;
    description.network = "small-resnet";
    description.class_names = set.class_names;
    description.kind = LayerKind::kVariational;
    description.preprocessing = fit_preprocessing(set.split("train").images);
    description.provenance.phantom = to_json(phantom);
    const auto network =
        make_network("small-resnet", description.network_options(c10::Device("cpu")));
    save_model(scratch->file("model"), description, *network);
  }
  static void TearDownTestSuite() { delete scratch; }

  static Outcome ood(const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"ood",  "--model", "model",       "--data", "phantom",
                                       "--mc", "3",       "--bootstrap", "20"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cubcal(arguments, scratch->path());
  }

  static ScratchFolder* scratch;
};

ScratchFolder* OodCommand::scratch = nullptr;

TEST_F(OodCommand, AllRowsAsTableJsonAndFigures) {
  const Outcome outcome = ood({"--json", "ood.json", "--svg", "scores"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  for (const char* title :
       {"Confidence", "DTS uncertainty", "Mahalanobis", "Relative Mahalanobis (multi-layer)",
        "Relative Mahalanobis + perturbation", "Cosine + RFF + PCA", "Mutual information", "Energy",
        "kNN", "ViM", "Appearance", "Combined", "streak (", "cluster (", "by DTS confidence"}) {
    EXPECT_TRUE(has(outcome.out, title));
  }
  const Json json = Json::parse(contents_of(scratch->path() / "ood.json"));
  EXPECT_EQ(json["format"], "cubcal-ood");
  ASSERT_EQ(json["rows"].size(), 16u);
  for (const Json& row : json["rows"]) {
    EXPECT_GE(row["auroc"].get<double>(), row["auroc_interval"][0].get<double>() - 0.2);
    EXPECT_EQ(row["categories"].size(), 2u);
    EXPECT_GT(row["categories"]["streak"]["samples"].get<int>(), 0);
  }
  EXPECT_TRUE(json["epsilon"].is_number());
  EXPECT_EQ(json["referral"]["referred"].size(), 50u);
  EXPECT_TRUE(has(contents_of(scratch->path() / "scores-cosine-pca.svg"), "<svg"));
}

TEST_F(OodCommand, FitWritesAVerdictIntoTheModel) {
  const Outcome outcome = ood({"--detectors", "mahalanobis", "--fit", "--verdict-detector",
                               "mahalanobis", "--alpha", "0.1", "--json", "-"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const Json json = Json::parse(outcome.out);
  EXPECT_EQ(json["verdict"]["alpha"], 0.1);
  EXPECT_EQ(json["verdict"]["achieved"]["samples"], 40);
  EXPECT_EQ(json["verdict"]["outliers"]["samples"], 24);
  EXPECT_TRUE(has(outcome.err, "errors among accepted"));
  EXPECT_TRUE(has(outcome.err, "achieved, by true class"));
  std::size_t images = 0;
  for (const Json& each : json["verdict"]["achieved_by_class"]) {
    images += each["samples"].get<std::size_t>();
  }
  EXPECT_EQ(images, 40u);
  const std::optional<VerdictModel> verdict = load_verdict(load_model(scratch->file("model")));
  ASSERT_TRUE(verdict);
  EXPECT_EQ(verdict->policy.detector, "mahalanobis");
  EXPECT_EQ(verdict->policy.id_scores.size(), 40u);
  EXPECT_EQ(verdict->policy.passes, 3u);

  const Outcome predicted = run_cubcal(
      {"predict", "--model", "model", CUBCAL_TEST_DATA "/images/rgb8.png", "--mc", "3", "--json"},
      scratch->path());
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  const Json answer = Json::parse(predicted.out)["predictions"][0];
  const double p_value = answer["ood_p_value"].get<double>();
  EXPECT_GE(p_value, 1.0 / 41);
  EXPECT_LE(p_value, 1);
  const bool uncertain = answer["uncertainty"]["total"].get<double>() > verdict->policy.uncertainty;
  EXPECT_EQ(answer["verdict"], p_value <= 0.1 ? "out-of-scope" : uncertain ? "refer" : "accept");
}

TEST_F(OodCommand, NothingButJsonGoesToStdoutWhereJsonDoes) {
  // An npz in the layout of MedMNIST: unlike the phantom set it is described when it is read.
  std::vector<std::uint8_t> pixels;
  for (int i = 0; i < 40 * 16 * 16 * 3; ++i)
    pixels.push_back(static_cast<std::uint8_t>(i * 37 % 251));
  std::vector<std::int64_t> labels;
  for (int i = 0; i < 40; ++i) labels.push_back(i % 4);
  NpzWriter npz(scratch->file("set.npz"));
  for (const std::string split : {"train", "val", "test"}) {
    npz.add(split + "_images", pixels, {40, 16, 16, 3});
    npz.add(split + "_labels", labels, {40});
  }
  npz.finish();
  const Outcome outcome = run_cubcal(
      {"ood", "--model", "model", "--data", "set.npz", "--mc", "2", "--detectors", "energy",
       "--fit", "--verdict-detector", "knn", "--alpha", "0.1", "--probes", "warn", "--json", "-"},
      scratch->path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(outcome.out.front(), '{');
  EXPECT_EQ(Json::parse(outcome.out)["verdict"]["probes"].size(), 5u);
  EXPECT_TRUE(has(outcome.err, "data: set.npz"));
}

TEST_F(OodCommand, PredictTellsTheRuleOfTheVerdict) {
  ASSERT_EQ(ood({"--detectors", "mahalanobis", "--fit", "--alpha", "0.1"}).exit_code, 0);
  const auto predict = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"predict", "--model", "model",
                                       CUBCAL_TEST_DATA "/images/rgb8.png"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cubcal(arguments, scratch->path());
  };
  const Outcome own = predict({"--json"});
  ASSERT_EQ(own.exit_code, 0) << own.err;
  EXPECT_EQ(own.err.find("warning"), std::string::npos) << own.err;
  const Json policy = Json::parse(own.out)["policy"];
  EXPECT_EQ(policy["detector"], "combined");
  EXPECT_EQ(policy["alpha"], 0.1);
  EXPECT_EQ(policy["refer_above"],
            load_verdict(load_model(scratch->file("model")))->policy.uncertainty);
  EXPECT_EQ(policy["passes"], 3) << "those of the verdict";

  const Outcome other = predict({"--mc", "5"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_TRUE(has(other.err, "verdict are for 3 passes, and --mc says 5"));
  EXPECT_TRUE(has(other.out, "total uncertainty above 0.3250."));
}

TEST_F(OodCommand, SetsOfOneClassAsTheRule) {
  const Outcome fitted =
      ood({"--detectors", "mahalanobis", "--fit", "--alpha", "0.1", "--accept-rule", "conformal",
           "--set-level", "0.8", "--probes", "warn", "--json", "sets.json"});
  ASSERT_EQ(fitted.exit_code, 0) << fitted.err;
  EXPECT_TRUE(
      has(fitted.out, "else accept where the prediction set at 80% holds the answer alone"));
  EXPECT_TRUE(has(fitted.out, "Sets by lac: 80% were to hold the true class; of other ID images "));
  const Json verdict = Json::parse(read_text_file(scratch->file("sets.json"), 1 << 20))["verdict"];
  const Json achieved = verdict["achieved_sets"];
  EXPECT_EQ(verdict["sets"]["alpha"], 0.2);
  EXPECT_EQ(achieved["samples"], verdict["achieved"]["samples"]);
  EXPECT_LE(achieved["interval"][0].get<double>(), achieved["coverage"].get<double>());
  EXPECT_LE(verdict["achieved"]["accepted"].get<int>(), achieved["by_size"][1].get<int>());

  const std::vector<std::string> predict{"predict", "--model", "model",
                                         CUBCAL_TEST_DATA "/images/rgb8.png"};
  const Outcome table = run_cubcal(predict, scratch->path());
  EXPECT_TRUE(has(table.out, "refer: the prediction set at 80% holds another class"));
  std::vector<std::string> more = predict;
  more.push_back("--json");
  const Json document = Json::parse(run_cubcal(more, scratch->path()).out);
  EXPECT_EQ(document["policy"]["set_level"], 0.8);
  EXPECT_TRUE(document["policy"]["refer_above"].is_null());
  EXPECT_TRUE(document["predictions"][0]["prediction_set"].is_array());
  more.back() = "--csv";
  EXPECT_TRUE(has(run_cubcal(more, scratch->path()).out, ",verdict,set,p "));
  more.back() = "--adaptive";
  const Outcome adaptive = run_cubcal(more, scratch->path());
  EXPECT_EQ(adaptive.exit_code, 2);
  EXPECT_TRUE(has(adaptive.err, "decides by prediction sets"));
}

TEST_F(OodCommand, AttachTellsOfAVerdictItMakesStale) {
  ASSERT_EQ(ood({"--detectors", "mahalanobis", "--fit", "--alpha", "0.1"}).exit_code, 0);
  std::filesystem::copy(scratch->path() / "model", scratch->path() / "attached");
  Calibration calibration;
  calibration.method = CalibrationMethod::kTsNll;
  calibration.classes = 4;
  calibration.thresholds = paper_thresholds();
  save_calibration(scratch->file("cal.json"), calibration);
  const Outcome stale = run_cubcal({"attach", "cal.json", "--model", "attached"}, scratch->path());
  ASSERT_EQ(stale.exit_code, 0) << stale.err;
  EXPECT_TRUE(has(stale.out, "its verdict was fitted with another calibration: run 'cubcal ood "));
  EXPECT_TRUE(has_stale_verdict(scratch->file("attached")));
  EXPECT_FALSE(has_stale_verdict(scratch->file("model")));
}

TEST_F(OodCommand, RiskTargetIsSaidToBeAnUpperBound) {
  const Outcome outcome = ood({"--detectors", "mahalanobis", "--fit", "--alpha", "0.1",
                               "--risk-target", "0.99", "--probes", "warn"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "errors among accepted images at most at 0.990 on validation"));
}

TEST_F(OodCommand, AVerdictThatAcceptsProbesIsNotWritten) {
  const std::vector<std::string> fit{"--detectors", "energy",  "--fit", "--verdict-detector",
                                     "knn",         "--alpha", "0.1",   "--risk-target",
                                     "0.99"};
  ASSERT_EQ(ood({"--detectors", "energy", "--fit", "--alpha", "0.1"}).exit_code, 0);
  const std::string before = contents_of(scratch->path() / "model" / "model.json");
  const Outcome outcome = ood(fit);
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "a verdict by 'knn' accepts "));
  EXPECT_TRUE(has(outcome.err, "made from training images: nothing was written"));
  EXPECT_TRUE(has(outcome.err, "the detector 'combined' sees more"));
  EXPECT_EQ(contents_of(scratch->path() / "model" / "model.json"), before);

  std::vector<std::string> warned = fit;
  warned.insert(warned.end(), {"--probes", "warn"});
  const Outcome allowed = ood(warned);
  EXPECT_EQ(allowed.exit_code, 0);
  EXPECT_TRUE(has(allowed.err, "warning: the verdict accepts "));
  EXPECT_TRUE(has(allowed.err, "with 40 validation images the share of ID images called"));
  const std::optional<VerdictModel> verdict = load_verdict(load_model(scratch->file("model")));
  ASSERT_EQ(verdict->policy.probes.size(), 5u);
  EXPECT_EQ(verdict->policy.probes[0].rates.samples, 30u);
}

TEST_F(OodCommand, FeaturesOfThePasses) {
  const Outcome outcome = ood({"--features", "mc", "--detectors", "perturbation,knn"});
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_TRUE(has(outcome.out, "features at the passes' mean"));
}

TEST_F(OodCommand, Mistakes) {
  const auto fails = [](const std::vector<std::string>& more, int code, const std::string& words) {
    const Outcome outcome = ood(more);
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_TRUE(has(outcome.err, words));
  };
  fails({"--detectors", "mahalanobis,odin"}, 2, "no detector named 'odin'; the known ones are all");
  fails({"--by", "source", "--detectors", "energy"}, 2, "has no column 'source'");
  fails({"--id", "ood"}, 2, "--id names a split of outliers");
  fails({"--fit-split", "ood"}, 2, "holds outliers");
  fails({"--ood", "strange"}, 2, "strange");
  fails({"--fit", "--verdict-detector", "energy"}, 2, "no detector named 'energy'");
  fails({"--fit", "--alpha", "0.01", "--detectors", "energy"}, 2, "takes at least 99 held-out");
  EXPECT_EQ(ood({"--fit", "--alpha", "0.01", "--detectors", "energy"}).out, "") << "no table first";
  fails({"--fit", "--risk-confidence", "0.9"}, 2, "needs a risk target");
  for (const char* option : {"--alpha", "--risk-target", "--risk-confidence"}) {
    fails({option, "0.1"}, 2, std::string(option) + " requires --fit");
  }
  fails({"--verdict-detector", "knn"}, 2, "--verdict-detector requires --fit");
  fails({"--fit", "--set-level", "0.9"}, 2, "go with --accept-rule conformal");
  fails({"--fit", "--accept-rule", "conformal", "--risk-target", "0.1"}, 2, "has none");
  fails({"--accept-rule", "conformal"}, 2, "--accept-rule requires --fit");
  fails({"--fit", "--miss-target", "streaks"}, 2, "must be CLASS=SHARE, such as melanoma=0.05");
  fails({"--fit", "--miss-target", "none=0.1"}, 2, "--miss-target names the class 'none'");
  fails({"--fit", "--miss-target", "0=1.5"}, 2, "must lie in [0, 1)");
}

}  // namespace
}  // namespace cubcal::test
