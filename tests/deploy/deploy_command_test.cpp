// `cubcal deploy`, and what is done with a deployed model, as a user meets it.

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/io/temporary_name.h"
#include "cubcal_nn/deploy/deploy_folder.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/infer/model_versions.h"
#include "cubcal_nn/ood/verdict_folder.h"
#include "expect_error.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr const char* kImage = CUBCAL_TEST_DATA "/images/rgb8.png";

testing::AssertionResult has(const std::string& text, const std::string& words) {
  if (text.find(words) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "'" << words << "' is not in: " << text;
}

class DeployCommand : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    scratch = new ScratchFolder;
    write_file_atomically(scratch->file("r.toml"), R"([data.phantom]
train = 120
val = 60
test = 40
ood = 12
image_size = 16
[stage1]
epochs = 2
[stage2]
method = "bnn"
epochs = 1
passes = 2
)");
    const Outcome trained = run_cubcal({"train", "r.toml", "--out", "run"}, scratch->path());
    ASSERT_EQ(trained.exit_code, 0) << trained.err;
    const Outcome deployed = deploy({"--name", "Lesions", "--intended-use", "Tests alone."});
    ASSERT_EQ(deployed.exit_code, 0) << deployed.err;
  }
  static void TearDownTestSuite() { delete scratch; }

  static Outcome deploy(const std::vector<std::string>& more, const std::string& model = "model") {
    std::vector<std::string> arguments{"deploy",  "run", "-o",          model, "--mc",     "3",
                                       "--alpha", "0.1", "--bootstrap", "20",  "--probes", "warn"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run_cubcal(arguments, scratch->path());
  }
  /// A copy of the deployed model, to be changed.
  static std::string copied(const std::string& name) {
    fs::copy(scratch->path() / "model", scratch->path() / name, fs::copy_options::recursive);
    return name;
  }
  static Outcome cubcal(const std::vector<std::string>& arguments) {
    return run_cubcal(arguments, scratch->path());
  }
  static Json description(const std::string& model) {
    return Json::parse(contents_of(scratch->path() / model / "model.json"));
  }
  static std::vector<Json> lines(const std::string& name) {
    std::vector<Json> all;
    std::ifstream in(scratch->path() / name);
    for (std::string line; std::getline(in, line);) all.push_back(Json::parse(line));
    return all;
  }

  static ScratchFolder* scratch;
};

ScratchFolder* DeployCommand::scratch = nullptr;

TEST_F(DeployCommand, PutsEverythingIntoOneFolder) {
  for (const char* name : {"model.json", "weights.safetensors", "ood.safetensors", "val.npz",
                           "test.npz", "ood.npz", "report.html", "model-card.md", "record.json"}) {
    EXPECT_TRUE(fs::exists(scratch->path() / "model" / name)) << name;
  }
  EXPECT_FALSE(fs::exists(scratch->path() / "model.deploying"));
  const Json json = description("model");
  EXPECT_EQ(json["identity"]["name"], "Lesions");
  EXPECT_EQ(json["identity"]["version"], "1");
  EXPECT_EQ(json["identity"]["status"], "research");
  EXPECT_EQ(json["verdict"]["achieved"]["samples"], 40);
  EXPECT_EQ(json["verdict"]["achieved_by_class"].size(), 4u);
  EXPECT_EQ(json["verdict"]["outliers"]["samples"], 12);
  const std::string page = contents_of(scratch->path() / "model" / "report.html");
  for (const char* words : {"The model in use", "Tests alone.", "wrong and accepted", "Promises",
                            "were to be called out of scope"}) {
    EXPECT_TRUE(has(page, words));
  }
  EXPECT_EQ(page.find(scratch->path().string()), std::string::npos) << "no absolute path";
  EXPECT_EQ(page.find(".deploying"), std::string::npos);
  const std::string card = contents_of(scratch->path() / "model" / "model-card.md");
  EXPECT_TRUE(has(card, "Name: Lesions, version 1"));
  EXPECT_TRUE(has(card, "Intended use: Tests alone."));
  const Outcome again = deploy({"--name", "Lesions", "--intended-use", "Tests alone."});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(has(again.out, "there is nothing to do"));
}

TEST_F(DeployCommand, NewThresholdsAreANewVersionAndNoNewPasses) {
  const std::string model = copied("again");
  const Outcome second = deploy({"--risk-target", "0.9", "--status", "validation"}, model);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_TRUE(has(second.out, "logits: drawn before"));
  EXPECT_TRUE(has(second.out, "Lesions 2 (validation)"));
  EXPECT_TRUE(has(second.out, "kept in again/versions/1"));
  EXPECT_EQ(description(model)["identity"]["intended_use"], "Tests alone.") << "as before";
  EXPECT_EQ(description(model)["verdict"]["risk_target"], 0.9);
  EXPECT_EQ(contents_of(scratch->path() / model / "versions/1/model.json"),
            contents_of(scratch->path() / "model/model.json"));
  EXPECT_TRUE(fs::exists(scratch->path() / model / "versions/1/report.html"));
  const Outcome third = deploy({"--risk-target", "0.8"}, model);
  ASSERT_EQ(third.exit_code, 0) << third.err;
  EXPECT_TRUE(fs::exists(scratch->path() / model / "versions/2/model.json"));
  EXPECT_TRUE(fs::exists(scratch->path() / model / "versions/1/model.json"));
  const Outcome old = cubcal({"predict", "--model", model + "/versions/1", kImage});
  EXPECT_EQ(old.exit_code, 0) << old.err;
  EXPECT_TRUE(has(old.out, "Lesions, version 1, status research"));
  const Outcome taken = deploy({"--risk-target", "0.7", "--version", "1"}, model);
  EXPECT_EQ(taken.exit_code, 2);
  EXPECT_TRUE(has(taken.err, "has a version 1 already"));
}

TEST_F(DeployCommand, AnotherModelIsNoVersion) {
  const std::string before = contents_of(scratch->path() / "model/model.json");
  fs::copy(scratch->path() / "run", scratch->path() / "others", fs::copy_options::recursive);
  const fs::path changed = scratch->path() / "others/best/model.json";
  Json json = Json::parse(contents_of(changed));
  json["class_names"] = {"cat", "dog", "cow", "pig"};
  json.erase("decision_hash");
  write_file_atomically(changed.string(), json.dump());
  const Outcome others = cubcal({"deploy", "others", "-o", "model", "--data", "phantom"});
  EXPECT_EQ(others.exit_code, 2);
  EXPECT_TRUE(has(others.err, "is not a version of the model in 'model', its classes are others"));
  EXPECT_TRUE(has(others.err, "against 'cat'; name another folder"));
  const Outcome earlier = deploy({"--risk-target", "0.9", "--version", "0.5"});
  EXPECT_EQ(earlier.exit_code, 2);
  EXPECT_TRUE(has(earlier.err, "'model' has version 1, before which 0.5 comes: give a later one"));
  EXPECT_EQ(contents_of(scratch->path() / "model/model.json"), before);
  EXPECT_FALSE(fs::exists(scratch->path() / "model.deploying"));
}

TEST_F(DeployCommand, AStatusIsOfTheNetworkItWasGivenTo) {
  const std::string model = copied("released");
  const auto release = [&](const std::string& status) {
    EXPECT_EQ(cubcal({"attach", "--model", model, "--status", status}).exit_code, 0);
  };
  release("clinical");
  const Outcome second = deploy({"--risk-target", "0.9"}, model);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_TRUE(has(second.out, "Lesions 3 (research)"));
  EXPECT_TRUE(has(second.out, "its status is research: that of version 2, clinical, is not taken"));
  EXPECT_TRUE(has(second.out, "its intended use is that of version 2: Tests alone."));
  release("retired");
  const Outcome third = deploy({"--risk-target", "0.8", "--name", "Others"}, model);
  ASSERT_EQ(third.exit_code, 0) << third.err;
  EXPECT_TRUE(has(third.out, "Others 5 (research)"));
  EXPECT_TRUE(has(third.out, "its intended use is not said"));
  EXPECT_EQ(description(model)["identity"]["intended_use"], "") << "of a model called otherwise";
  release("clinical");
  const Outcome stated = deploy({"--risk-target", "0.7", "--status", "clinical"}, model);
  ASSERT_EQ(stated.exit_code, 0) << stated.err;
  EXPECT_TRUE(has(stated.out, "Others 7 (clinical)"));
  EXPECT_FALSE(has(stated.out, "its status is"));
}

TEST_F(DeployCommand, NoVersionComesBeforeOneThatWas) {
  const std::string model = copied("numbered");
  const auto attach = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"attach", "--model", model, "--status", "validation"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cubcal(arguments);
  };
  ASSERT_EQ(attach({"--version", "beta"}).exit_code, 0);
  ASSERT_EQ(attach({}).exit_code, 0);
  EXPECT_EQ(description(model)["identity"]["version"], "beta.2");
  const Outcome refused = attach({"--version", "0.9"});
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(has(refused.err, "had version 1, before which 0.9 comes: give a later one"));
  // Models of before may have such versions: what follows is after all of them.
  Json json = description(model);
  json["identity"]["version"] = "0.9";
  json.erase("decision_hash");
  write_file_atomically(scratch->file(model + "/model.json"), json.dump(2));
  EXPECT_TRUE(has(attach({}).out, "Lesions 2 (validation)"));
}

TEST_F(DeployCommand, GoesOnAfterAStopAndWritesNothingHalf) {
  // A verdict that cannot be had stops it after logits and calibration.
  const Outcome stopped = deploy({"--sensitivity", "0=1", "--risk-confidence", "0.99"}, "stopped");
  EXPECT_EQ(stopped.exit_code, 1);
  EXPECT_TRUE(has(stopped.err, "keeps the sensitivity of class 0 at 1"));
  EXPECT_FALSE(fs::exists(scratch->path() / "stopped"));
  const fs::path drawn = scratch->path() / "stopped.deploying/test.npz";
  ASSERT_TRUE(fs::exists(drawn));
  const auto time = fs::last_write_time(drawn);
  const Outcome again = deploy({}, "stopped");
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(has(again.out, "goes on with what was done before"));
  EXPECT_EQ(fs::last_write_time(scratch->path() / "stopped/test.npz"), time);
  EXPECT_EQ(description("stopped")["identity"]["name"], "stopped") << "the folder's name";
}

TEST_F(DeployCommand, ImagesAreReadOnceForAPageThatAloneIsMissing) {
  fs::copy(scratch->path() / "run", scratch->path() / "run-of-others", fs::copy_options::recursive);
  const std::string path = scratch->file("run-of-others/best/model.json");
  Json trained = Json::parse(contents_of(path));
  trained["provenance"]["data_hash"] = "0123456789abcdef";
  write_file_atomically(path, trained.dump());
  const auto deploy_it = [] {
    return cubcal({"deploy", "run-of-others", "-o", "page", "--mc", "3", "--alpha", "0.1",
                   "--bootstrap", "20", "--probes", "warn"});
  };
  const Outcome first = deploy_it();
  ASSERT_EQ(first.exit_code, 0) << first.err;
  fs::rename(scratch->path() / "page", scratch->path() / "page.deploying");
  fs::remove(scratch->path() / "page.deploying/report.html");
  const Outcome again = deploy_it();
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(has(again.out, "verdict: fitted before"));
  const std::string warning = "are not those the model was trained on";
  const std::size_t place = again.err.find(warning);
  ASSERT_NE(place, std::string::npos) << again.err;
  EXPECT_EQ(again.err.find(warning, place + 1), std::string::npos) << again.err;
}

TEST_F(DeployCommand, AKeptVersionHasTheDetectorThatAKilledFitLeft) {
  for (const bool by_attach : {true, false}) {
    const std::string model = copied(by_attach ? "fitted" : "fitted2");
    const fs::path folder = scratch->path() / model;
    // As if the fit had been killed once model.json was in its place.
    fs::rename(folder / "ood.safetensors", folder / "ood.next.safetensors");
    const Outcome next = by_attach ? cubcal({"attach", "--model", model, "--status", "validation"})
                                   : deploy({"--risk-target", "0.9"}, model);
    ASSERT_EQ(next.exit_code, 0) << next.err;
    for (const std::string& each : {model, model + "/versions/1"}) {
      const Outcome answer = cubcal({"predict", "--model", each, kImage});
      EXPECT_EQ(answer.exit_code, 0) << answer.err;
    }
  }
}

TEST_F(DeployCommand, TheSameVerdictCanBeAttachedAgain) {
  const std::string model = scratch->file(copied("judged"));
  const LoadedModel loaded = load_model(model);
  const std::optional<VerdictModel> verdict = load_verdict(loaded);
  ASSERT_TRUE(verdict);
  for (int i = 0; i < 2; ++i) attach_verdict(model, *verdict, loaded.weights_hash);
  expect_error<DataError>([&] { attach_verdict(model, *verdict, "0123456789abcdef"); },
                          "is another one than its verdict was fitted for");
  EXPECT_TRUE(load_verdict(load_model(model)));
  EXPECT_EQ(read_model_description(model).identity->version, "3");
}

TEST_F(DeployCommand, WhatADeploymentThatWasKilledLeftIsNoHindrance) {
  const std::string model = copied("hindered");
  const fs::path folder = scratch->path() / model;
  const fs::path begun = scratch->path() / (model + ".deploying");
  const auto mark_replaced = [](const fs::path& where) {
    Json state = Json::parse(contents_of(where / "deploy.json"));
    state["replaced"] = "yes";
    write_file_atomically((where / "deploy.json").string(), state.dump());
  };
  // Killed while it removed the model whose place it had taken: half of that is there.
  fs::copy(folder, begun, fs::copy_options::recursive);
  mark_replaced(begun);
  fs::remove(begun / "weights.safetensors");
  fs::remove(begun / "test.npz");
  const Outcome second = deploy({"--risk-target", "0.9"}, model);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_TRUE(has(second.out, "logits: drawn before"));
  EXPECT_TRUE(has(second.out, "kept in hindered/versions/1"));
  EXPECT_FALSE(fs::exists(begun));
  // The same, and the deployment that is asked for is the one that was made.
  fs::create_directory(begun);
  fs::copy_file(folder / "versions/1/deploy.json", begun / "deploy.json");
  mark_replaced(begun);
  write_file_atomically((folder / "run.lock").string(), "");
  const Outcome same = deploy({"--risk-target", "0.9"}, model);
  ASSERT_EQ(same.exit_code, 0) << same.err;
  EXPECT_TRUE(has(same.out, "there is nothing to do"));
  EXPECT_FALSE(fs::exists(begun));
  EXPECT_FALSE(fs::exists(folder / "run.lock"));
  // Killed between the steps of an exchange: the model is aside.
  mark_replaced(folder);
  fs::rename(folder, folder.string() + ".replaced");
  const Outcome third = deploy({"--risk-target", "0.8"}, model);
  ASSERT_EQ(third.exit_code, 0) << third.err;
  EXPECT_TRUE(has(third.out, "kept in hindered/versions/2"));
  EXPECT_FALSE(fs::exists(folder.string() + ".replaced"));
  // Aside is one that the model in its place does not follow, and one that it does.
  const fs::path aside = folder.string() + ".replaced";
  fs::copy(folder, aside, fs::copy_options::recursive);
  mark_replaced(aside);
  const Outcome other = deploy({"--risk-target", "0.7"}, model);
  EXPECT_EQ(other.exit_code, 1);
  EXPECT_TRUE(has(other.err, "hindered.replaced', and 'hindered' holds another one"));
  fs::remove_all(aside);
  fs::copy(folder / "versions/2", aside, fs::copy_options::recursive);
  mark_replaced(aside);
  EXPECT_EQ(deploy({"--risk-target", "0.8"}, model).exit_code, 0);
  EXPECT_FALSE(fs::exists(aside));
  // Killed while it wrote its first file there.
  fs::create_directory(begun);
  write_file_atomically((begun / temporary_name(0)).string(), "{");
  EXPECT_EQ(deploy({"--risk-target", "0.6"}, model).exit_code, 0);
  EXPECT_FALSE(fs::exists(begun));
  EXPECT_EQ(deploy({"--risk-target", "0.8"}, model).exit_code, 0);
  // What another has begun stays, where nothing is to be done for this one.
  fs::create_directory(begun);
  fs::copy_file(folder / "versions/1/deploy.json", begun / "deploy.json");
  EXPECT_EQ(deploy({"--risk-target", "0.8"}, model).exit_code, 0);
  EXPECT_TRUE(fs::exists(begun / "deploy.json"));
}

TEST_F(DeployCommand, WhatWasBegunWithOtherSettingsIsDrawnOnlyOnce) {
  const std::string model = copied("begun");
  const fs::path begun = scratch->path() / "begun.deploying";
  // Killed while it removed what depends on thresholds: some of it is there.
  fs::copy(scratch->path() / "model", begun, fs::copy_options::recursive);
  fs::remove(begun / "ood.safetensors");
  Json state = Json::parse(contents_of(begun / "deploy.json"));
  state["settings"] = {{"drawing", state["settings"]["drawing"]}};
  write_file_atomically((begun / "deploy.json").string(), state.dump());
  const Outcome second = deploy({"--risk-target", "0.9"}, model);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_TRUE(has(second.out, "logits: drawn before"));
  const Outcome answer = cubcal({"predict", "--model", model, kImage});
  EXPECT_EQ(answer.exit_code, 0) << answer.err;
  EXPECT_FALSE(fs::exists(scratch->path() / model / "run.lock"));
}

TEST_F(DeployCommand, AVersionThatAKilledAttachKeptIsKept) {
  const std::string model = copied("kept");
  const fs::path folder = scratch->path() / model;
  link_files(folder.string(), (folder / "versions/1").string());
  fs::remove(folder / "report.html");
  const Outcome second = deploy({"--risk-target", "0.9"}, model);
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_TRUE(has(second.out, "kept in kept/versions/1"));
  EXPECT_TRUE(fs::exists(folder / "versions/1/report.html"));
}

TEST_F(DeployCommand, AModelThatIsChangedMeanwhileIsNotReplaced) {
  const std::string model = scratch->file(copied("meanwhile"));
  const DeployFolder deploying(model);
  ModelIdentity other = *read_model_description(model).identity;
  other.version = "7";
  attach_identity(model, other);
  expect_error<IoError>([&] { deploying.take(); }, "was changed by another process");
  EXPECT_FALSE(fs::exists(model + ".deploying"));
  // Once it has been begun: what is there is no deployed model any more.
  const DeployFolder begun(model);
  const FolderLock lock = begun.take();
  fs::remove(fs::path(model) / "model.json");
  expect_error<IoError>([&] { begun.finish(); }, "was changed by another process");
}

TEST_F(DeployCommand, OfTwoOneDeploysAtATime) {
  const std::string model = scratch->file("held");
  const DeployFolder deploying(model);
  const FolderLock lock = deploying.take();
  const Outcome second = deploy({}, "held");
  EXPECT_EQ(second.exit_code, 1);
  EXPECT_TRUE(has(second.err, "the folder 'held.deploying' is being written by process"));
  EXPECT_FALSE(fs::exists(model));
}

TEST_F(DeployCommand, AttachesAtOnceTakeTurns) {
  const std::string model = copied("turns");
  constexpr int attaches = 4;
  std::vector<Outcome> outcomes(attaches);
  std::vector<std::thread> threads;
  for (Outcome& outcome : outcomes) {
    threads.emplace_back([&outcome, &model] {
      outcome = cubcal({"attach", "--model", model, "--status", "validation"});
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const Outcome& outcome : outcomes) EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(description(model)["identity"]["version"], std::to_string(1 + attaches));
}

TEST_F(DeployCommand, AnotherMachineIsWaitedForToo) {
  const std::string model = copied("elsewhere");
  const fs::path lock = scratch->path() / model / "run.lock";
  write_file_atomically(lock.string(), "elsewhere 7\n");
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    fs::remove(lock);
  });
  const Outcome attached = cubcal({"attach", "--model", model, "--status", "retired"});
  other.join();
  EXPECT_EQ(attached.exit_code, 0) << attached.err;
  EXPECT_EQ(description(model)["identity"]["status"], "retired");
}

TEST_F(DeployCommand, AnAttachThatWasKilledIsFinishedByTheNext) {
  const std::string model = copied("killed-attach");
  const fs::path folder = scratch->path() / model;
  const std::string older = contents_of(folder / "calibration.json");
  ASSERT_EQ(
      cubcal({"calibrate", "model/val.npz", "--method", "ts-bcce", "-o", "newer.json"}).exit_code,
      0);
  ASSERT_EQ(cubcal({"attach", "newer.json", "--model", model}).exit_code, 0);
  const std::string newer = contents_of(folder / "calibration.json");
  ASSERT_NE(newer, older);
  // As if it had been killed once model.json was in its place.
  fs::rename(folder / "calibration.json", folder / "calibration.next.json");
  write_file_atomically((folder / "calibration.json").string(), older);
  ASSERT_EQ(cubcal({"attach", "--model", model, "--status", "retired"}).exit_code, 0);
  EXPECT_EQ(contents_of(folder / "calibration.json"), newer);
  EXPECT_EQ(contents_of(folder / "versions/2/calibration.json"), newer);
  EXPECT_FALSE(fs::exists(folder / "calibration.next.json"));
}

TEST_F(DeployCommand, ACalibrationOfItsOwnFolderCanBeAttached) {
  const std::string model = copied("in-place");
  const std::string file = model + "/calibration.json";
  ASSERT_EQ(cubcal({"calibrate", "model/val.npz", "--method", "ts-bcce", "-o", file}).exit_code, 0);
  ASSERT_EQ(cubcal({"attach", file, "--model", model}).exit_code, 0);
  EXPECT_EQ(Json::parse(contents_of(scratch->path() / file))["method"], "ts-bcce");
  EXPECT_EQ(description(model)["calibration"]["method"], "ts-bcce");
}

TEST_F(DeployCommand, ALinkIsNoCalibrationToWriteTo) {
  const std::string model = copied("linked");
  ASSERT_EQ(
      cubcal({"calibrate", "model/val.npz", "--method", "ts-nll", "-o", "mine.json"}).exit_code, 0);
  const std::string mine = contents_of(scratch->path() / "mine.json");
  fs::remove(scratch->path() / model / "calibration.json");
  fs::create_symlink("../mine.json", scratch->path() / model / "calibration.json");
  ASSERT_EQ(cubcal({"calibrate", "model/val.npz", "--method", "dts", "-o", "new.json"}).exit_code,
            0);
  const Outcome refused = cubcal({"attach", "new.json", "--model", model});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "link"));
  const Outcome deployed = deploy({"--risk-target", "0.9"}, model);
  EXPECT_EQ(deployed.exit_code, 1);
  EXPECT_TRUE(has(deployed.err, "linked/calibration.json': it is a symbolic link"));
  fs::remove(scratch->path() / model / "calibration.json");
  EXPECT_EQ(deploy({"--risk-target", "0.9"}, model).exit_code, 0);
  EXPECT_EQ(contents_of(scratch->path() / "mine.json"), mine);
}

TEST_F(DeployCommand, Mistakes) {
  const auto fails = [](const std::vector<std::string>& more, const std::string& model, int code,
                        const std::string& words) {
    const Outcome outcome = deploy(more, model);
    EXPECT_EQ(outcome.exit_code, code);
    EXPECT_TRUE(has(outcome.err, words));
  };
  fails({}, "run", 2, "'run' is there already and holds no deployed model");
  fails({"--status", "approved"}, "new", 2, "must be research, validation, clinical or retired");
  fails({"--version", "a/b"}, "new", 2, "the version of a model must be");
  fails({"--referral-cost", "2"}, "new", 2, "--referral-cost needs --wrong-cost");
  fails({"--wrong-cost", "0=3"}, "new", 2, "--wrong-cost says nothing of the class");
  fails({"--wrong-cost", "3", "--risk-target", "0.1"}, "new", 2, "each set the threshold");
  fails({"--sensitivity", "0=0"}, "new", 2, "must lie in (0, 1]");
  fails({"--data", "nowhere"}, "new", 1, "nowhere");
  EXPECT_FALSE(fs::exists(scratch->path() / "new"));
  for (const char* unnamed : {".", "..", "model/.."}) {
    fails({}, unnamed, 2, "does not name the folder of a deployed model");
  }
  fails({}, "/dev/shm", 2, "is where a file system is mounted");
}

TEST_F(DeployCommand, AFolderOfTheUserIsNotWorkedIn) {
  fs::create_directories(scratch->path() / "mine.deploying/photos");
  write_file_atomically(scratch->file("mine.deploying/thesis.txt"), "precious");
  const Outcome refused = deploy({}, "mine");
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_TRUE(has(refused.err, "'mine.deploying', where the deployment would be put together"));
  EXPECT_EQ(contents_of(scratch->path() / "mine.deploying/thesis.txt"), "precious");
  // A folder is no temporary file, whatever its name.
  fs::create_directories(scratch->path() / "own.deploying/.cubcal-photos.tmp");
  EXPECT_EQ(deploy({}, "own").exit_code, 2);
  EXPECT_TRUE(fs::exists(scratch->path() / "own.deploying/.cubcal-photos.tmp"));
}

TEST_F(DeployCommand, WhatWasDamagedBetweenTwoTriesIsMadeAnew) {
  fs::copy(scratch->path() / "run", scratch->path() / "run2", fs::copy_options::recursive);
  const std::string record = contents_of(scratch->path() / "run2/record.json");
  const auto deploy_it = [](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"deploy",      "run2", "-o",       "redone",
                                       "--mc",        "3",    "--alpha",  "0.1",
                                       "--bootstrap", "20",   "--probes", "warn"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return cubcal(arguments);
  };
  write_file_atomically(scratch->file("run2/record.json"), "{");
  const Outcome damaged = deploy_it({});
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_TRUE(has(damaged.err, "run2/record.json"));
  EXPECT_FALSE(fs::exists(scratch->path() / "redone.deploying")) << "before any work";
  write_file_atomically(scratch->file("run2/record.json"), record);
  // A verdict that cannot be had stops it after logits and calibration.
  EXPECT_EQ(deploy_it({"--sensitivity", "0=1", "--risk-confidence", "0.99"}).exit_code, 1);
  const fs::path begun = scratch->path() / "redone.deploying";
  fs::resize_file(begun / "val.npz", 100);
  write_file_atomically((begun / "record.json").string(), "{");
  write_file_atomically((begun / "calibration.json").string(), "{");
  const Outcome again = deploy_it({});
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_TRUE(has(again.out, "logits of test: drawn before"));
  EXPECT_EQ(contents_of(scratch->path() / "redone/record.json"), record);
  // Nor is anything written through a link.
  EXPECT_EQ(deploy_it({"--risk-target", "0.9", "--sensitivity", "0=1", "--risk-confidence", "0.99"})
                .exit_code,
            1);
  write_file_atomically(scratch->file("victim"), "precious");
  fs::remove(begun / "record.json");
  fs::create_symlink("../victim", begun / "record.json");
  const Outcome linked =
      deploy_it({"--risk-target", "0.9", "--sensitivity", "0=1", "--risk-confidence", "0.99"});
  EXPECT_EQ(linked.exit_code, 1);
  EXPECT_TRUE(has(linked.err, "record.json': it is a symbolic link"));
  EXPECT_EQ(contents_of(scratch->path() / "victim"), "precious");
}

TEST_F(DeployCommand, AVersionIsKeptWholeOrNotAtAll) {
  const std::string model = copied("weighty");
  const fs::path folder = scratch->path() / model;
  fs::rename(folder / "weights.safetensors", scratch->path() / "elsewhere.safetensors");
  fs::create_symlink("../elsewhere.safetensors", folder / "weights.safetensors");
  const Outcome linked = cubcal({"attach", "--model", model, "--status", "validation"});
  EXPECT_EQ(linked.exit_code, 1);
  EXPECT_TRUE(has(linked.err, "weights.safetensors' as part of a version"));
  EXPECT_FALSE(fs::exists(folder / "versions/1"));
  EXPECT_EQ(cubcal({"predict", "--model", model, kImage}).exit_code, 0);
  // A version of that name that is another one.
  const std::string other = copied("weighty2");
  fs::create_directories(scratch->path() / other / "versions/1");
  write_file_atomically(scratch->file(other + "/versions/1/model.json"), "{}");
  for (const Outcome& outcome : {cubcal({"attach", "--model", other, "--status", "validation"}),
                                 deploy({"--risk-target", "0.9"}, other)}) {
    EXPECT_EQ(outcome.exit_code, 1);
    EXPECT_TRUE(has(outcome.err, "holds another model than the version 1 in use"));
    EXPECT_TRUE(has(outcome.err, "move it away"));
  }
  EXPECT_FALSE(fs::exists(scratch->path() / (other + ".deploying")));
}

TEST_F(DeployCommand, AttachKeepsTheVersionAndKnowsTheModel) {
  const std::string model = copied("attached");
  ASSERT_EQ(
      cubcal({"calibrate", "model/val.npz", "--method", "ts-nll", "-o", "own.json"}).exit_code, 0);
  EXPECT_EQ(Json::parse(contents_of(scratch->path() / "own.json"))["fitted_on"]["weights_hash"],
            description("model")["weights_hash"]);
  const Outcome attached = cubcal({"attach", "own.json", "--model", model});
  ASSERT_EQ(attached.exit_code, 0) << attached.err;
  EXPECT_TRUE(has(attached.out, "it is Lesions 2 (research) now; version 1 is kept in attached/"));
  EXPECT_TRUE(fs::exists(scratch->path() / model / "versions/1/report.html"));
  EXPECT_FALSE(fs::exists(scratch->path() / model / "report.html"));
  // The same logits under the name of other weights.
  std::string other = contents_of(scratch->path() / "own.json");
  const std::string hash = description("model")["weights_hash"];
  other.replace(other.find(hash), hash.size(), "0000000000000000");
  write_file_atomically(scratch->file("other.json"), other);
  const Outcome refused = cubcal({"attach", "other.json", "--model", model});
  EXPECT_EQ(refused.exit_code, 1);
  EXPECT_TRUE(has(refused.err, "fitted on logits of other weights (hash 0000000000000000)"));
  Json unknown = Json::parse(other);
  unknown["fitted_on"].erase("weights_hash");
  write_file_atomically(scratch->file("unknown.json"), unknown.dump());
  const Outcome trusted = cubcal({"attach", "unknown.json", "--model", model, "--version", "2.5"});
  EXPECT_EQ(trusted.exit_code, 0) << trusted.err;
  EXPECT_TRUE(has(trusted.out, "is taken on trust"));
  EXPECT_TRUE(has(trusted.out, "it is Lesions 2.5 (research) now; version 2 is kept"));
  const Outcome named = cubcal({"attach", "--model", model, "--status", "retired"});
  EXPECT_EQ(named.exit_code, 0) << named.err;
  EXPECT_TRUE(has(named.out, "Lesions 2.6 (retired)"));
  EXPECT_EQ(cubcal({"attach", "--model", model}).exit_code, 2);
  EXPECT_TRUE(has(cubcal({"attach", "--model", "run", "--status", "retired"}).err, "has no name"));
}

TEST_F(DeployCommand, AVerdictOfAnotherCalibrationIsNotInForceOnThePage) {
  const std::string model = copied("recalibrated");
  // As a deployment leaves it that has chosen a calibration.
  ASSERT_EQ(
      cubcal({"calibrate", "model/val.npz", "--method", "ts-nll", "-o", "first.json"}).exit_code,
      0);
  fs::copy_file(scratch->path() / "first.json", scratch->path() / model / "calibration.json",
                fs::copy_options::overwrite_existing);
  ASSERT_EQ(cubcal({"calibrate", "model/val.npz", "--method", "dts", "-o", "dts.json"}).exit_code,
            0);
  ASSERT_EQ(cubcal({"attach", "dts.json", "--model", model}).exit_code, 0);
  EXPECT_EQ(contents_of(scratch->path() / model / "calibration.json"),
            contents_of(scratch->path() / "dts.json"));
  EXPECT_EQ(contents_of(scratch->path() / model / "versions/1/calibration.json"),
            contents_of(scratch->path() / "first.json"));
  EXPECT_EQ(cubcal({"predict", "--model", model, kImage}).exit_code, 1);
  const Outcome reported = cubcal({"report", model, "-o", "stale.html", "--bootstrap", "20",
                                   "--checklist", "model-card=stale.md"});
  ASSERT_EQ(reported.exit_code, 0) << reported.err;
  const std::string page = contents_of(scratch->path() / "stale.html");
  EXPECT_TRUE(has(page, "was fitted for another calibration and is not in force"));
  for (const std::string& text : {page, contents_of(scratch->path() / "stale.md")}) {
    for (const char* words : {"The model in use refers", "it accepts", "Promise", "refuses at most",
                              "wrong of the accepted", "are accepted as if"}) {
      EXPECT_FALSE(has(text, words));
    }
  }
  // What deploy had chosen is chosen anew, not taken from what was attached.
  const Outcome next = deploy({"--risk-target", "0.9"}, model);
  ASSERT_EQ(next.exit_code, 0) << next.err;
  EXPECT_TRUE(has(next.out, "logits: drawn before"));
  EXPECT_EQ(description(model).value("calibration", Json()),
            description("model").value("calibration", Json()));
  EXPECT_EQ(fs::exists(scratch->path() / model / "calibration.json"),
            fs::exists(scratch->path() / "model" / "calibration.json"));
}

TEST_F(DeployCommand, AChangedThresholdIsRefused) {
  const std::string model = copied("changed");
  Json json = description(model);
  json["verdict"]["uncertainty_threshold"] = 9.0;
  write_file_atomically(scratch->file("changed/model.json"), json.dump(2));
  for (const std::vector<std::string>& command :
       {std::vector<std::string>{"predict", "--model", model, kImage},
        {"report", model, "-o", "page.html"},
        {"attach", "--model", model, "--name", "x"}}) {
    const Outcome outcome = cubcal(command);
    EXPECT_EQ(outcome.exit_code, 1) << command.front();
    EXPECT_TRUE(has(outcome.err, "its hash is another, so it was changed by hand or damaged"));
  }
}

TEST_F(DeployCommand, LinesOfJsonSayWhoAnsweredAndGoOn) {
  write_file_atomically(scratch->file("broken.png"), "no image");
  const std::vector<std::string> command{"predict",    "--model", "model",    kImage,
                                         "broken.png", "--jsonl", "log.jsonl"};
  const Outcome first = cubcal(command);
  EXPECT_EQ(first.exit_code, 1) << "one could not be read";
  EXPECT_TRUE(has(first.out, "2 images: 1 answered, 1 not readable"));
  std::vector<Json> log = lines("log.jsonl");
  ASSERT_EQ(log.size(), 2u);
  EXPECT_EQ(log[0]["image"], kImage);
  EXPECT_EQ(log[0]["model_name"], "Lesions");
  EXPECT_EQ(log[0]["model_version"], "1");
  EXPECT_EQ(log[0]["weights_hash"], description("model")["weights_hash"]);
  EXPECT_EQ(log[0]["decision_hash"], description("model")["decision_hash"]);
  EXPECT_TRUE(log[0].contains("calibration")) << "monitor holds like against like";
  EXPECT_EQ(log[0]["seed"], 0);
  EXPECT_TRUE(has(log[0]["program"], "cubcal "));
  EXPECT_EQ(log[0]["time"].get<std::string>().size(), 20u);
  EXPECT_TRUE(log[0].contains("verdict"));
  EXPECT_EQ(log[1]["image"], "broken.png");
  EXPECT_TRUE(has(log[1]["error"], "broken.png"));

  // A writer that was killed leaves half a line.
  std::ofstream(scratch->path() / "log.jsonl", std::ios::app) << "{\"image\": \"ha";
  const Outcome second = cubcal(command);
  EXPECT_TRUE(has(second.out, "0 answered, 1 not readable, 1 answered before"));
  log = lines("log.jsonl");
  ASSERT_EQ(log.size(), 3u) << "what could not be read is tried again";
  EXPECT_TRUE(log[2].contains("error"));
  const Outcome other =
      cubcal({"predict", "--model", "model", kImage, "--jsonl", "log.jsonl", "--seed", "1"});
  EXPECT_EQ(other.exit_code, 0) << other.err;
  EXPECT_EQ(lines("log.jsonl").size(), 4u) << "another seed is another answer";
  const std::string versioned = copied("versioned");
  ASSERT_EQ(cubcal({"attach", "--model", versioned, "--status", "validation"}).exit_code, 0);
  const std::string before = contents_of(scratch->path() / "log.jsonl");
  const Outcome mixed = cubcal({"predict", "--model", versioned, kImage, "--jsonl", "log.jsonl"});
  EXPECT_EQ(mixed.exit_code, 1);
  EXPECT_TRUE(has(mixed.err, "line 1 of 'log.jsonl' was answered by 'Lesions' 1 (weights "));
  EXPECT_TRUE(has(mixed.err, "not by 'Lesions' 2 (weights "));
  EXPECT_EQ(contents_of(scratch->path() / "log.jsonl"), before);
  const Outcome watched = cubcal({"monitor", "model/test.npz", "log.jsonl"});
  EXPECT_EQ(watched.err.find("needs the field 'class'"), std::string::npos) << watched.err;
  write_file_atomically(scratch->file("notes.txt"), "{\"a\": 1}\n");
  EXPECT_TRUE(has(cubcal({"predict", "--model", "model", kImage, "--jsonl", "notes.txt"}).err,
                  "line 1 of 'notes.txt' is not a prediction"));
  EXPECT_EQ(contents_of(scratch->path() / "notes.txt"), "{\"a\": 1}\n");
}

TEST_F(DeployCommand, RegionsAreShownWhereACalibrationMovesThem) {
  const Json document = Json::parse(cubcal({"predict", "--model", "model", kImage, "--json"}).out);
  const Outcome table = cubcal({"predict", "--model", "model", kImage});
  EXPECT_EQ(has(table.out, "region"), !document["calibration"].is_null()) << table.out;
  EXPECT_EQ(has(table.out, "Not calibrated"), document["calibration"].is_null()) << table.out;
}

TEST_F(DeployCommand, AListOfPathsIsNoImage) {
  write_file_atomically(scratch->file("list.txt"), std::string(kImage) + "\n");
  const Outcome outcome = cubcal({"predict", "--model", "model", "list.txt"});
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_TRUE(has(outcome.err, "'cubcal predict - < list.txt'")) << outcome.err;
}

TEST_F(DeployCommand, LinesOnStandardOutputAndDicom) {
  const Outcome outcome = cubcal({"predict", "--model", "model", kImage, "--jsonl", "-"});
  EXPECT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["model_name"], "Lesions");
  const Json document = Json::parse(cubcal({"predict", "--model", "model", kImage, "--json"}).out);
  EXPECT_EQ(document["model_name"], "Lesions");
  EXPECT_EQ(document["intended_use"], "Tests alone.");
  EXPECT_EQ(document["model"], "small-resnet");
}

}  // namespace
}  // namespace cubcal::test
