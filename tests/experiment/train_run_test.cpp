#include "cubcal_nn/experiment/train_run.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "cubcal/io/atomic_file.h"
#include "cubcal/io/npz.h"
#include "cubcal_nn/experiment/train_job.h"
#include "cubcal_nn/train/training_run.h"
#include "expect_error.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

/// Stops every training after an epoch.
class OneEpoch : public WorkObserver {
 public:
  std::unique_ptr<TrainObserver> follow_training(const Recipe&, const RunFolder&,
                                                 const std::string&) override {
    class Stop : public TrainObserver {
     public:
      void epoch_done(const EpochReport&) override { is_done_ = true; }
      bool stop_requested() override { return is_done_; }

     private:
      bool is_done_ = false;
    };
    return std::make_unique<Stop>();
  }
};

void write_set(const std::string& path, int step) {
  NpzWriter npz(path);
  for (const std::string split : {"train", "val"}) {
    std::vector<std::uint8_t> pixels;
    std::vector<std::int64_t> labels;
    for (int i = 0; i < 24 * 16 * 16; ++i) {
      pixels.push_back(static_cast<std::uint8_t>(i * step % 251 + (split == "val" ? 1 : 0)));
    }
    for (int i = 0; i < 24; ++i) labels.push_back(i % 2);
    npz.add(split + "_images", pixels, {24, 16, 16});
    npz.add(split + "_labels", labels, {24});
  }
  npz.finish();
}

Recipe recipe_for(const std::string& path, const std::vector<std::string>& more = {}) {
  std::vector<std::string> overrides{text_override("data.path", path)};
  overrides.insert(overrides.end(), more.begin(), more.end());
  return parse_recipe("[data]\nleaks = \"allow\"\n[stage1]\nepochs = 3\nbatch = 8\n", "a recipe",
                      overrides);
}

TEST(TrainRun, DataThatWereMovedGoOnAndOthersDoNot) {
  const TemporaryFolder scratch;
  write_set(scratch.file("here.npz"), 37);
  const Recipe recipe = recipe_for(scratch.file("here.npz"));
  OneEpoch stopping;
  const auto run = [&](const Recipe& each, WorkObserver& observer) {
    run_recipe(each, load_data(each.data), scratch.file("run"), "", "again", observer);
  };
  EXPECT_THROW(run(recipe, stopping), Interrupted);
  std::filesystem::rename(scratch.file("here.npz"), scratch.file("there.npz"));
  write_set(scratch.file("other.npz"), 41);
  WorkObserver silent;
  expect_error<DataError>([&] { run(recipe_for(scratch.file("other.npz")), silent); },
                          "was started with other data");
  expect_error<DataError>([&] { run(recipe_for(scratch.file("there.npz"), {"seed=5"}), silent); },
                          "was started with another recipe");
  // As 'cubcal train --resume --data there.npz' has it: the run's own recipe and two overrides.
  const RunFolder folder{scratch.file("run")};
  run(load_recipe(folder.recipe(), {text_override("data.kind", "path"),
                                    text_override("data.path", scratch.file("there.npz"))}),
      silent);
  EXPECT_EQ(run_status(folder, 1), RunStatus::kFinished);

  const TemporaryFolder straight;
  const Recipe whole = recipe_for(scratch.file("there.npz"));
  run_recipe(whole, load_data(whole.data), straight.file("run"), "", "again", silent);
  EXPECT_EQ(file_bytes(straight.file("run/last/weights.safetensors")),
            file_bytes(scratch.file("run/last/weights.safetensors")));
}

TEST(TrainRun, WhatALaterStageWouldRefuseIsRefusedAtOnce) {
  const TemporaryFolder scratch;
  write_set(scratch.file("set.npz"), 37);
  const auto refused = [&](const std::vector<std::string>& overrides, const std::string& words) {
    WorkObserver silent;
    const std::string message = message_of<Error>([&] {
      std::vector<std::string> all{"stage2.epochs=2"};
      all.insert(all.end(), overrides.begin(), overrides.end());
      const Recipe recipe = recipe_for(scratch.file("set.npz"), all);
      run_recipe(recipe, load_data(recipe.data), scratch.file("run"), "", "again", silent);
    });
    EXPECT_TRUE(message.find(words) != std::string::npos) << message;
    EXPECT_FALSE(std::filesystem::exists(scratch.file("run/metrics.jsonl")));
  };
  refused({"stage2.beta_warmup_epochs=0", "stage2.gamma=2"}, "gamma must be in [0, 1]");
  refused({"stage2.beta_warmup_epochs=0", "stage2.gamma=0.4"}, "gamma must be in [0.5, 1]");
  refused({"stage2.beta_warmup_epochs=0", "stage2.moped_sigma_floor=0.0"}, "moped sigma_floor");
  refused({"stage1.method=bnn", "stage2.method=deterministic"},
          "method deterministic has point weights and cannot start from the Gaussian");
}

/// While images are read another process makes the run's folder and begins to train.
class Overtaken : public WorkObserver {
 public:
  explicit Overtaken(std::string folder) : folder_(std::move(folder)) {}
  ImageSet read_images(const DataOptions& options) override {
    std::filesystem::create_directory(folder_);
    write_file_atomically(folder_ + "/run.lock", "elsewhere 7\n");
    write_file_atomically(folder_ + "/metrics.jsonl", "an epoch\n");
    return WorkObserver::read_images(options);
  }

 private:
  std::string folder_;
};

TEST(TrainRun, ARunThatAnotherProcessBeganMeanwhileIsNotReplaced) {
  const TemporaryFolder scratch;
  write_set(scratch.file("set.npz"), 37);
  write_file_atomically(scratch.file("one.toml"), "[data]\nleaks = \"allow\"\npath = \"" +
                                                      scratch.file("set.npz") +
                                                      "\"\n[stage1]\nepochs = 1\n");
  TrainJob job;
  job.recipe = scratch.file("one.toml");
  job.folder = scratch.file("run");
  job.force = true;
  Overtaken observer(job.folder);
  expect_error<IoError>([&] { train_as_asked(job, "again ", observer); },
                        "is being written by process 7 on elsewhere");
  EXPECT_EQ(file_bytes(scratch.file("run/metrics.jsonl")), "an epoch\n");
}

TEST(TrainRun, ARecipeOfFewerStagesDoesNotMakeARunFinished) {
  const TemporaryFolder scratch;
  write_set(scratch.file("set.npz"), 37);
  const std::string one = "[data]\nleaks = \"allow\"\npath = \"" + scratch.file("set.npz") +
                          "\"\n[stage1]\nepochs = 1\n";
  write_file_atomically(scratch.file("one.toml"), one);
  write_file_atomically(scratch.file("two.toml"),
                        one + "[stage2]\nmethod = \"bnn\"\nepochs = 1\npasses = 2\n");
  TrainJob job;
  job.recipe = scratch.file("two.toml");
  job.folder = scratch.file("run");
  OneEpoch stopping;
  EXPECT_THROW(train_as_asked(job, "again ", stopping), Interrupted);
  EXPECT_EQ(run_status(RunFolder{job.folder}, 2), RunStatus::kUnfinished);

  WorkObserver silent;
  TrainJob shorter = job;
  shorter.recipe = scratch.file("one.toml");
  expect_error<ArgumentError>([&] { train_as_asked(shorter, "again ", silent); },
                              "holds an unfinished run");
  shorter.resume = true;
  expect_error<DataError>([&] { train_as_asked(shorter, "again ", silent); },
                          "was started with another recipe");

  job.resume = true;
  EXPECT_TRUE(train_as_asked(job, "again ", silent).had_work);
  EXPECT_FALSE(train_as_asked(job, "again ", silent).had_work);
  // As a process leaves it that is killed between its last checkpoint and the record.
  std::filesystem::remove(RunFolder{job.folder}.record());
  EXPECT_TRUE(train_as_asked(job, "again ", silent).had_work);
  EXPECT_TRUE(std::filesystem::exists(RunFolder{job.folder}.record()));
}

}  // namespace
}  // namespace cubcal::test
