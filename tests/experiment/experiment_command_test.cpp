#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "cli/program.h"
#include "cubcal/io/atomic_file.h"

namespace cubcal::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSmallExperiment = R"(
[data]
kind = "phantom"
[data.phantom]
train = 120
val = 60
test = 60
ood = 30
image_size = 16
[model]
network = "small-resnet"
[stage1]
epochs = 1
[stage2]
method = "bnn+cub"
epochs = 1
passes = 2
beta_warmup_epochs = 0
[validation]
passes = 2
[experiment]
methods = ["bnn", "bnn+cub"]
passes = 4
seeds = 1
)";

TEST(ExperimentCommand, MakesWhatIsMissingAndTablesOfAll) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  const std::vector<std::string> some = {"experiment", "small.toml", "--out",       "runs",
                                         "--only",     "*/bnn",      "--bootstrap", "50"};
  const Outcome first = run_cubcal(some, folder.path());
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("small: 2 runs, 0 of them there already"), std::string::npos);
  EXPECT_NE(first.out.find("[2/2] full/seed1/bnn, about "), std::string::npos) << first.out;
  const std::string before = contents_of(folder.path() / "runs/records/full-seed1-bnn.json");
  EXPECT_NE(before.find("\"one_temperature\""), std::string::npos);

  const Outcome listed =
      run_cubcal({"experiment", "small.toml", "--out", "runs", "--list"}, folder.path());
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  EXPECT_EQ(listed.out,
            "small: 3 runs, 2 of them there already\n"
            "there    full/seed1/deterministic\n"
            "there    full/seed1/bnn\n"
            "missing  full/seed1/bnn+cub\n");

  const Outcome all =
      run_cubcal({"experiment", "small.toml", "--out", "runs", "--bootstrap", "50"}, folder.path());
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_NE(all.out.find("small: 3 runs, 2 of them there already"), std::string::npos) << all.out;
  EXPECT_EQ(contents_of(folder.path() / "runs/records/full-seed1-bnn.json"), before);
  const std::string page = contents_of(folder.path() / "runs/results.md");
  for (const char* words : {"| BNN | ", "| BNN + CUB | ", "| dts-guarded | ", "| kNN | ",
                            "Made by `cubcal experiment small.toml --out runs --bootstrap 50`"}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "runs/tables/small-ood.tex"));
  const std::string report = contents_of(folder.path() / "runs/report.html");
  EXPECT_NE(report.find("bnn+cub"), std::string::npos);

  const Outcome again = run_cubcal({"results", "runs/records"}, folder.path());
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("3 runs, 1 seed, trained on CPU."), std::string::npos) << again.out;
}

// A deep ensemble is the deterministic run and others like it of other seeds, and a row of its own.
TEST(ExperimentCommand, AnEnsembleLaplaceAndALastLayerAreRows) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  const std::vector<std::string> command = {
      "experiment",  "small.toml",
      "--out",       "runs",
      "--bootstrap", "50",
      "--set",       "experiment.methods=['ensemble', 'laplace', 'last-layer']",
      "--set",       "experiment.members=3"};
  const Outcome first = run_cubcal(command, folder.path());
  ASSERT_EQ(first.exit_code, 0) << first.err;
  EXPECT_NE(first.out.find("small: 4 runs, 0 of them there already"), std::string::npos);
  const std::string page = contents_of(folder.path() / "runs/results.md");
  for (const char* words :
       {"| Deep ensemble | ", "| Last-layer BNN | ", "| Last-layer Laplace | "}) {
    EXPECT_NE(page.find(words), std::string::npos) << words;
  }
  const auto record = [&](const std::string& method) {
    return nlohmann::json::parse(
        contents_of(folder.path() / ("runs/records/full-seed1-" + method + ".json")));
  };
  const auto ensemble = record("ensemble");
  EXPECT_EQ(ensemble["passes"], 3);
  EXPECT_EQ(ensemble["training"]["stages"].size(), 3U);
  EXPECT_EQ(record("last-layer")["passes"], 4);
  EXPECT_EQ(record("laplace")["passes"], 4);
  EXPECT_EQ(record("laplace")["training"]["stages"].size(), 1U);
  const std::string told = "full/seed1/laplace: prior precision ";
  const std::size_t place = first.out.find(told);
  ASSERT_NE(place, std::string::npos) << first.out;
  EXPECT_NEAR(record("laplace")["training"]["prior_precision"].get<double>() /
                  std::stod(first.out.substr(place + told.size())),
              1, 1e-4);
  EXPECT_FALSE(record("last-layer")["training"].contains("prior_precision"));
  EXPECT_EQ(record("deterministic")["passes"], 1);
  const fs::path seed = folder.path() / "runs/full/seed1";
  EXPECT_TRUE(fs::exists(seed / "ensemble/member3/last/model.json"));
  EXPECT_FALSE(fs::exists(seed / "ensemble/member1"));
  // Members see the same images in the same places.
  const auto data_of = [&](const char* model) {
    return nlohmann::json::parse(contents_of(seed / model / "last/model.json"))["provenance"];
  };
  EXPECT_EQ(data_of("ensemble/member3")["data_hash"], data_of("deterministic")["data_hash"]);
  EXPECT_EQ(data_of("ensemble/member3")["seed"], 2001);

  // Where records are lost they are made anew, from what is there.
  fs::remove(folder.path() / "runs/records/full-seed1-ensemble.json");
  const Outcome again = run_cubcal(command, folder.path());
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("full/seed1/ensemble: trained before"), std::string::npos) << again.out;
  EXPECT_EQ(record("ensemble")["test"], ensemble["test"]);
  fs::remove(folder.path() / "runs/records/full-seed1-ensemble.json");
  std::vector<std::string> other = command;
  other.back() = "experiment.members=2";
  const Outcome refused = run_cubcal(other, folder.path());
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_NE(refused.err.find("is an ensemble of 3, and one of 2 is wanted"), std::string::npos)
      << refused.err;

  // The same by hand.
  const Outcome imported = run_cubcal(
      {"import", "runs/full/seed1/deterministic/last", "runs/full/seed1/ensemble/member2/last",
       "runs/full/seed1/ensemble/member3/last", "-o", "model"},
      folder.path());
  ASSERT_EQ(imported.exit_code, 0) << imported.err;
  EXPECT_EQ(contents_of(folder.path() / "model/weights.safetensors"),
            contents_of(seed / "ensemble/last/weights.safetensors"));
  const Outcome mixed = run_cubcal({"import", "runs/full/seed1/deterministic/last",
                                    "runs/full/seed1/last-layer/last", "-o", "mixed"},
                                   folder.path());
  EXPECT_EQ(mixed.exit_code, 2);
  EXPECT_NE(mixed.err.find("is last-layer"), std::string::npos) << mixed.err;
}

/// The file's weights are the first stage's: every other run starts from the experiment's own
/// deterministic network, whatever the user names.
TEST(ExperimentCommand, WeightsFromAFileBelongToTheFirstStage) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  ASSERT_EQ(run_cubcal(
                {"train", "small.toml", "--out", "other", "--set", "stages=[1]", "--set", "seed=5"},
                folder.path())
                .exit_code,
            0);
  const Outcome outcome =
      run_cubcal({"experiment", "small.toml", "--out", "runs", "--bootstrap", "50", "--only",
                  "*/bnn", "--set", "model.pretrained=other/last"},
                 folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  const auto starts_from = [&](const std::string& run) {
    const std::string text = contents_of(folder.path() / "runs/full/seed1" / run / "recipe.toml");
    const std::size_t place = text.find("pretrained = ");
    return place == std::string::npos ? "" : text.substr(place, text.find('\n', place) - place);
  };
  EXPECT_EQ(starts_from("deterministic"), "pretrained = 'other/last'");
  EXPECT_EQ(starts_from("bnn"), "pretrained = 'runs/full/seed1/deterministic/last'");
  const auto json_of = [&](const std::string& path) {
    return nlohmann::json::parse(contents_of(folder.path() / path));
  };
  const auto recorded = [&](const std::string& method) {
    return json_of("runs/records/full-seed1-" + method + ".json")["training"]["pretrained_hash"];
  };
  EXPECT_EQ(recorded("deterministic"), json_of("other/last/model.json")["weights_hash"]);
  EXPECT_EQ(recorded("bnn"),
            json_of("runs/full/seed1/deterministic/last/model.json")["weights_hash"]);
}

TEST(ExperimentCommand, WhatTheGridDecidesCannotBeSet) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  for (const char* change : {"seed=3", "stages=[1]"}) {
    const Outcome outcome =
        run_cubcal({"experiment", "small.toml", "--out", "runs", "--set", change}, folder.path());
    EXPECT_EQ(outcome.exit_code, 2);
    EXPECT_NE(outcome.err.find("does not go with an experiment"), std::string::npos) << outcome.err;
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "runs"));
  }
}

TEST(ExperimentCommand, ARecordHoldsEverySettingAndTheBoxes) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"),
                        std::string(kSmallExperiment) +
                            "[calibration]\nthresholds = [0.9, 0.923]\nt_high = [0.8, 1.0]\n");
  const Outcome outcome = run_cubcal(
      {"experiment", "small.toml", "--out", "runs", "--bootstrap", "50", "--only", "*/bnn"},
      folder.path());
  ASSERT_EQ(outcome.exit_code, 0) << outcome.err;
  EXPECT_NE(outcome.out.find("augmentation: none\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("those of the training images\n"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.out.find("those of the model it starts from\n"), std::string::npos);
  const nlohmann::json record =
      nlohmann::json::parse(contents_of(folder.path() / "runs/records/full-seed1-bnn.json"));
  const nlohmann::json& settings = record.at("training").at("settings");
  EXPECT_EQ(settings.at("augmentation.rotation"), 0.0);
  EXPECT_EQ(settings.at("stage2.kl_reduction"), "mean") << "what is not named";
  EXPECT_EQ(settings.at("data.normalise"), "model") << "what auto came to";
  EXPECT_EQ(settings.at("calibration.thresholds"), nlohmann::json({0.9, 0.923}));
  for (const nlohmann::json& row : record.at("post_hoc")) {
    if (row.at("method") == "dts") {
      EXPECT_EQ(row.at("box_high"), nlohmann::json({0.8, 1.0}));
    }
    if (row.at("method") == "dts-guarded") {
      EXPECT_EQ(row.at("box_high"), nlohmann::json({0.05, 1.0}));
      EXPECT_EQ(row.at("guard"), "10-fold cross-validation");
    }
  }
}

TEST(ExperimentCommand, RefusesRunsOfOtherSettings) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  const std::vector<std::string> arguments = {"experiment",  "small.toml", "--out",
                                              "runs",        "--only",     "*/deterministic",
                                              "--bootstrap", "50"};
  ASSERT_EQ(run_cubcal(arguments, folder.path()).exit_code, 0);
  std::vector<std::string> changed = arguments;
  changed.insert(changed.end(), {"--set", "stage1.epochs=2"});
  const std::string sentence =
      "cubcal: 'runs/full/seed1/deterministic' was made with other settings (there 'epochs = 1', "
      "here 'epochs = 2'): give --out another folder, or remove it\n";
  const Outcome finished = run_cubcal(changed, folder.path());
  EXPECT_EQ(finished.exit_code, 2);
  EXPECT_EQ(finished.err, sentence);
  std::filesystem::remove(folder.path() / "runs/records/full-seed1-deterministic.json");
  EXPECT_EQ(run_cubcal(changed, folder.path()).err, sentence) << "without its record too";
}

TEST(ExperimentCommand, CtrlCBetweenTwoStepsEndsIt) {
  for (const int signal : {SIGINT, SIGTERM}) {
    const ScratchFolder folder;
    write_file_atomically(folder.file("small.toml"), kSmallExperiment);
    int out[2];
    ASSERT_EQ(::pipe(out), 0);
    const pid_t process = ::fork();
    if (process == 0) {
      ::dup2(out[1], STDOUT_FILENO);
      ::close(out[0]);
      const int quiet = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
      ::dup2(quiet, STDERR_FILENO);
      if (::chdir(folder.path().c_str()) == 0) {
        ::execl(CUBCAL_PROGRAM, CUBCAL_PROGRAM, "experiment", "small.toml", "--out", "runs",
                "--bootstrap", "50", nullptr);
      }
      ::_exit(127);
    }
    ::close(out[1]);
    std::string text;
    char byte = 0;
    bool is_sent = false;
    while (::read(out[0], &byte, 1) == 1) {
      text += byte;
      if (is_sent || text.find("epoch 1/1") == std::string::npos || byte != '\n') continue;
      ::kill(process, signal);  // its last step is done
      is_sent = true;
    }
    ::close(out[0]);
    int status = 0;
    ::waitpid(process, &status, 0);
    ASSERT_TRUE(WIFEXITED(status)) << WTERMSIG(status);
    EXPECT_EQ(WEXITSTATUS(status), 128 + signal) << text;
    EXPECT_EQ(text.find("[2/3]"), std::string::npos) << text;
  }
}

TEST(ExperimentCommand, AFolderThatWasMovedIsGoneOnWith) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  const auto experiment = [&](const std::string& out) {
    return run_cubcal({"experiment", "small.toml", "--out", out, "--bootstrap", "50"},
                      folder.path());
  };
  ASSERT_EQ(experiment("runs").exit_code, 0);
  // One without its record, and one that is to be trained anew.
  fs::rename(folder.path() / "runs", folder.path() / "moved");
  fs::remove(folder.path() / "moved/records/full-seed1-bnn.json");
  fs::remove(folder.path() / "moved/records/full-seed1-bnn+cub.json");
  fs::remove(folder.path() / "moved/full/seed1/bnn+cub/record.json");
  fs::remove(folder.path() / "moved/full/seed1/bnn+cub/checkpoint.safetensors");
  const std::string started = contents_of(folder.path() / "moved/full/seed1/bnn+cub/recipe.toml");
  const Outcome moved = experiment("moved/");
  ASSERT_EQ(moved.exit_code, 0) << moved.err;
  EXPECT_NE(moved.out.find("small: 3 runs, 1 of them there already"), std::string::npos);
  EXPECT_EQ(contents_of(folder.path() / "moved/full/seed1/bnn+cub/recipe.toml"), started);
  const Outcome again = experiment(folder.file("moved"));
  EXPECT_EQ(again.exit_code, 0) << again.err;
  EXPECT_NE(again.out.find("small: 3 runs, 3 of them there already"), std::string::npos);
}

TEST(ExperimentCommand, ADamagedRunLeavesTheOthersToBeMade) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  const std::vector<std::string> arguments = {"experiment", "small.toml",  "--out",
                                              "runs",       "--bootstrap", "50"};
  ASSERT_EQ(run_cubcal(arguments, folder.path()).exit_code, 0);
  for (const char* run : {"bnn", "bnn+cub"}) {
    fs::remove(folder.path() / ("runs/records/full-seed1-" + std::string(run) + ".json"));
  }
  std::string damaged;
  for (const auto& entry : fs::directory_iterator(folder.path() / "runs/full/seed1/bnn")) {
    const std::string name = entry.path().filename().string();
    if (name.find("checkpoint") == std::string::npos) continue;
    write_file_atomically(entry.path().string(), "no checkpoint");
    damaged = name;
  }
  ASSERT_FALSE(damaged.empty());
  const Outcome outcome = run_cubcal(arguments, folder.path());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(outcome.err.find("cubcal: warning: full/seed1/bnn was not made: "), std::string::npos)
      << outcome.err;
  EXPECT_TRUE(fs::exists(folder.path() / "runs/records/full-seed1-bnn+cub.json"));
}

TEST(ExperimentCommand, ARunThatFailsLeavesTheOthersToBeMade) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  const Outcome outcome = run_cubcal({"experiment", "small.toml", "--out", "runs", "--bootstrap",
                                      "50", "--set", "stage2.learning_rate=1e30"},
                                     folder.path());
  EXPECT_EQ(outcome.exit_code, 1);
  EXPECT_NE(
      outcome.err.find("cubcal: warning: full/seed1/bnn was not made: the loss is not finite"),
      std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("\ncubcal: warning: full/seed1/bnn+cub was not made: "),
            std::string::npos)
      << outcome.err;
  EXPECT_NE(
      outcome.err.find("\ncubcal: 2 of 3 runs were not made: the warnings say why; run again, "
                       "the command tries them, and 'cubcal results runs/records' makes the "
                       "tables of the others\n"),
      std::string::npos)
      << outcome.err;
  EXPECT_TRUE(fs::exists(folder.path() / "runs/records/full-seed1-deterministic.json"));
  EXPECT_FALSE(fs::exists(folder.path() / "runs/results.md"));
  const std::string log = contents_of(folder.path() / "runs/full/seed1/bnn/train.log");
  EXPECT_NE(log.find("  ended: the loss is not finite"), std::string::npos) << log;
}

TEST(ExperimentCommand, WhatStartsFromARunThatFailedIsNotMade) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  for (const std::vector<std::string>& shard :
       {std::vector<std::string>{}, std::vector<std::string>{"--shard", "1/1"}}) {
    std::vector<std::string> arguments = {
        "experiment", "small.toml", "--out", "runs",
        "--seeds",    "2",          "--set", "stage1.learning_rate=1e30"};
    arguments.insert(arguments.end(), shard.begin(), shard.end());
    const Outcome outcome = run_cubcal(arguments, folder.path());
    EXPECT_EQ(outcome.exit_code, 1);
    for (const char* seed : {"full/seed1/", "full/seed2/"}) {
      const std::string start = std::string(seed) + "deterministic";
      EXPECT_NE(outcome.err.find("cubcal: warning: " + start + " was not made: the loss"),
                std::string::npos)
          << outcome.err;
      EXPECT_NE(outcome.err.find(std::string("cubcal: warning: ") + seed +
                                 "bnn was not made: it starts from " + start + "\n"),
                std::string::npos)
          << outcome.err;
    }
    EXPECT_NE(outcome.err.find("\ncubcal: 6 of 6 runs were not made"), std::string::npos)
        << outcome.err;
    EXPECT_FALSE(fs::exists(folder.path() / "runs/full/seed1/bnn"));
  }
}

TEST(ExperimentCommand, AReportIsOfAllRunsThereAre) {
  const ScratchFolder folder;
  write_file_atomically(folder.file("small.toml"), kSmallExperiment);
  ASSERT_EQ(run_cubcal({"experiment", "small.toml", "--out", "my runs", "--bootstrap", "50"},
                       folder.path())
                .exit_code,
            0);
  const Outcome part = run_cubcal({"experiment", "small.toml", "--out", "my runs", "--bootstrap",
                                   "50", "--only", "*/deterministic"},
                                  folder.path());
  ASSERT_EQ(part.exit_code, 0) << part.err;
  const std::string report = contents_of(folder.path() / "my runs/report.html");
  EXPECT_NE(report.find("3 methods, 3 runs"), std::string::npos);
  EXPECT_NE(report.find("50 replicates"), std::string::npos);
  EXPECT_NE(contents_of(folder.path() / "my runs/results.md")
                .find("--out 'my runs' --only '*/deterministic' --bootstrap 50`"),
            std::string::npos);
}

TEST(ExperimentCommand, ThePapersNameIsForRealImages) {
  const ScratchFolder folder;
  const Outcome outcome = run_cubcal(
      {"experiment", std::string(CUBCAL_RECIPES) + "/retina.toml", "--out", "o"}, folder.path());
  EXPECT_EQ(outcome.exit_code, 2);
  EXPECT_NE(outcome.err.find("retina.toml' names no data set: give --data"), std::string::npos)
      << outcome.err;
  const Outcome absent = run_cubcal({"experiment", std::string(CUBCAL_RECIPES) + "/retina.toml",
                                     "--data", "nowhere", "--out", "o"},
                                    folder.path());
  EXPECT_EQ(absent.exit_code, 1);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "o"));
}

TEST(ExperimentCommand, SaysWhatIsMissing) {
  const ScratchFolder folder;
  const Outcome no_out = run_cubcal({"experiment", "a.toml"}, folder.path());
  EXPECT_EQ(no_out.exit_code, 2);
  EXPECT_NE(no_out.err.find("--out is required"), std::string::npos) << no_out.err;
  const Outcome no_recipe = run_cubcal({"experiment", "a.toml", "--out", "o"}, folder.path());
  EXPECT_EQ(no_recipe.exit_code, 1);
  EXPECT_NE(no_recipe.err.find("a.toml"), std::string::npos) << no_recipe.err;
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "o"));
}

}  // namespace
}  // namespace cubcal::test
