#include "cubcal_nn/train/training_run.h"

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "cli/program.h"
#include "cubcal/core/error.h"
#include "cubcal/core/sha256.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal/record/run_record.h"
#include "cubcal_nn/infer/model_folder.h"
#include "cubcal_nn/kernels/compute_backend.h"
#include "cubcal_nn/losses/cub_objective.h"
#include "cubcal_nn/phantom/phantom.h"
#include "cubcal_nn/train/alarms.h"
#include "cubcal_nn/train/checkpoint.h"
#include "expect_error.h"

/// There where the program is linked with AddressSanitizer; its code need not be instrumented.
extern "C" std::size_t __sanitizer_get_current_allocated_bytes() __attribute__((weak));  // NOLINT

namespace cubcal {
namespace {

using nlohmann::json;
using test::expect_error;
using test::ScratchFolder;

const ImageSet& tiny_set() {
  static const ImageSet set = [] {
    set_convolution_backend(ConvolutionBackend::kIm2col);  // the same on every machine
    PhantomOptions options;
    options.train = 96;
    options.val = 48;
    options.test = 8;
    options.ood = 8;
    options.image_size = 16;
    return make_phantom_set(options).set;
  }();
  return set;
}

void set_beta(StageOptions& stage, const BetaOptions& beta) {
  stage.method.objective = std::make_shared<CubObjective>(CubOptions{}, beta);
}

StageOptions tiny_stage(const std::string& method, std::int64_t epochs) {
  StageOptions stage;
  stage.method = training_method(method);
  if (method == "bnn+cub") set_beta(stage, {BetaMode::kFixed, 0.01, 1});
  stage.epochs = epochs;
  stage.batch = 20;
  stage.passes = 2;
  stage.learning_rate.peak = 0.02;
  stage.kl.reduction = KlReduction::kMean;
  stage.kl.weight = 0.1;
  stage.early_stop.metric = "accuracy";
  return stage;
}

RunOptions one_stage(const std::string& method, std::int64_t epochs) {
  RunOptions options;
  options.stages = {tiny_stage(method, epochs)};
  options.validation.passes = 3;
  options.seed = 5;
  return options;
}

RunOptions two_stages(const std::string& method) {
  RunOptions options = one_stage("deterministic", 2);
  options.stages.push_back(tiny_stage(method, 3));
  options.stages.back().start = StageStart::kPrevious;
  return options;
}

struct Recorder : TrainObserver {
  std::vector<StageReport> stages;
  std::vector<EpochReport> epochs;
  std::vector<std::string> warnings;
  int steps = 0;
  int stop_after = -1;  ///< steps

  void stage_started(const StageReport& report) override { stages.push_back(report); }
  void step_done(const StepReport&) override { ++steps; }
  void epoch_done(const EpochReport& report) override { epochs.push_back(report); }
  void warning(const std::string& sentence) override { warnings.push_back(sentence); }
  bool stop_requested() override { return stop_after >= 0 && steps >= stop_after; }
};

RunResult train_tiny(const RunOptions& options, const std::string& folder, Recorder& recorder) {
  return train(tiny_set(), options, {folder}, Provenance{}, recorder);
}

std::string bytes_of(const std::string& path) { return read_text_file(path, 1 << 28); }

std::vector<json> lines_of(const std::string& path) {
  std::istringstream stream(bytes_of(path));
  std::vector<json> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(json::parse(line));
  return lines;
}

TEST(TrainingRun, LowersTheLossAndLeavesAWholeFolder) {
  const ScratchFolder folder;
  RunOptions options = one_stage("deterministic", 8);
  options.tensorboard = true;
  Recorder recorder;
  const RunResult result = train_tiny(options, folder.file("run"), recorder);
  EXPECT_TRUE(result.finished);
  ASSERT_EQ(recorder.epochs.size(), 8U);
  EXPECT_LT(recorder.epochs.back().terms.loss, 0.85 * recorder.epochs.front().terms.loss);

  const RunFolder run{folder.file("run")};
  const std::vector<json> lines = lines_of(run.metrics());
  ASSERT_EQ(lines.size(), 8U);
  EXPECT_EQ(lines[2].at("epoch"), 3);
  EXPECT_EQ(lines[2].at("step"), 15);
  EXPECT_DOUBLE_EQ(lines[7].at("loss"), recorder.epochs[7].terms.loss);
  EXPECT_TRUE(lines[7].at("validation").contains("balanced_accuracy"));
  EXPECT_GT(std::filesystem::file_size(run.events()), 8U * 100U);
  const json record = json::parse(bytes_of(run.record()));
  EXPECT_EQ(record.at("stages").at(0).at("epochs"), 8);
  EXPECT_EQ(record.at("stages").at(0).at("last").at("epoch"), 8);
  EXPECT_EQ(run_status(run, 1), RunStatus::kFinished);
  EXPECT_EQ(load_model(run.best(0, 1)).description.kind, LayerKind::kDeterministic);
}

TEST(TrainingRun, EveryMethodTrainsFromADeterministicStage) {
  for (const std::string method : {"mc-dropout", "bnn", "bnn+avuc", "bnn+cub"}) {
    SCOPED_TRACE(method);
    const ScratchFolder folder;
    Recorder recorder;
    train_tiny(two_stages(method), folder.file("run"), recorder);
    const LoadedModel model = load_model(folder.file("run/last"));
    EXPECT_EQ(model.description.kind, training_method(method).kind);
    EXPECT_EQ(model.description.provenance.stage, method);
    EXPECT_EQ(model.description.provenance.epoch, 3);
    EXPECT_EQ(load_model(folder.file("run/stage1/best")).description.kind,
              LayerKind::kDeterministic);
    const bool gaussian = training_method(method).kind == LayerKind::kVariational;
    ASSERT_EQ(recorder.stages.size(), 2U);
    EXPECT_EQ(recorder.stages[1].kl_weight.empty(), !gaussian);
    const EpochReport& last = recorder.epochs.back();
    EXPECT_EQ(last.kl_share > 0, gaussian);
    EXPECT_EQ(last.sigma.noise_to_signal > 0, gaussian);
    EXPECT_EQ(number_named(last.terms.own, "cub") > 0, method == "bnn+cub");
    EXPECT_EQ(number_named(last.terms.own, "avuc") > 0, method == "bnn+avuc");
    EXPECT_EQ(number_named(last.values, "beta") > 0, method == "bnn+cub");
  }
}

TEST(TrainingRun, BetaIsZeroInTheWarmUpAndTheBestEpochComesAfterIt) {
  const ScratchFolder folder;
  RunOptions options = one_stage("bnn+cub", 3);
  set_beta(options.stages[0], {BetaMode::kFixed, 0.01, 2});
  Recorder recorder;
  train_tiny(options, folder.file("run"), recorder);
  EXPECT_EQ(number_named(recorder.epochs[1].values, "beta"), 0);
  EXPECT_GT(number_named(recorder.epochs[1].terms.own, "cub"), 0) << "is measured all the same";
  EXPECT_EQ(number_named(recorder.epochs[2].values, "beta"), 0.01);
  EXPECT_FALSE(recorder.epochs[0].best || recorder.epochs[1].best);
  EXPECT_TRUE(recorder.epochs[2].best);
}

TEST(TrainingRun, ACubLossTooHeavyIsToldWhileItsWarmUpLasts) {
  const ScratchFolder folder;
  RunOptions options = one_stage("bnn+cub", 2);
  set_beta(options.stages[0], {BetaMode::kFixed, 10, 1});
  options.stages[0].sgd.clip_norm = 1;
  Recorder recorder;
  train_tiny(options, folder.file("run"), recorder);
  EXPECT_EQ(number_named(recorder.epochs.front().values, "beta"), 0);
  const auto told = std::count_if(
      recorder.warnings.begin(), recorder.warnings.end(), [](const std::string& warning) {
        return warning.find("epoch 1: CUB-Loss with beta 10 weighs ") != std::string::npos;
      });
  EXPECT_EQ(told, 1);
}

/// Stopped after every few steps, in the middle of epochs, at their ends and between stages.
TEST(TrainingRun, AStoppedRunEndsWithTheSameBytes) {
  for (const std::string method : {"mc-dropout", "bnn+avuc", "bnn+cub"}) {
    SCOPED_TRACE(method);
    const ScratchFolder folder;
    RunOptions options = two_stages(method);
    if (method == "bnn+cub") set_beta(options.stages[1], {BetaMode::kAutomatic, 0.01, 1});
    options.tensorboard = true;
    Recorder through;
    options.save_every_seconds = 0;
    train_tiny(options, folder.file("through"), through);
    options.save_every_seconds = 1000;  // models wait in memory
    int resumed = 0;
    for (bool finished = false; !finished; ++resumed) {
      Recorder recorder;
      recorder.stop_after = 3;
      finished = train_tiny(options, folder.file("stopped"), recorder).finished;
      ASSERT_LT(resumed, 20);
    }
    EXPECT_GT(resumed, 6);
    for (const char* name : {"last/weights.safetensors", "best/weights.safetensors",
                             "stage1/best/weights.safetensors"}) {
      EXPECT_EQ(bytes_of(folder.file(std::string("stopped/") + name)),
                bytes_of(folder.file(std::string("through/") + name)))
          << name;
    }
    std::vector<json> stopped_lines = lines_of(folder.file("stopped/metrics.jsonl"));
    std::vector<json> through_lines = lines_of(folder.file("through/metrics.jsonl"));
    for (json& line : stopped_lines) line.erase("seconds");
    for (json& line : through_lines) line.erase("seconds");
    EXPECT_EQ(stopped_lines, through_lines);
  }
}

TEST(TrainingRun, AnotherSeedGivesOtherWeights) {
  const ScratchFolder folder;
  RunOptions options = one_stage("bnn", 1);
  Recorder recorder;
  train_tiny(options, folder.file("a"), recorder);
  options.seed = 6;
  train_tiny(options, folder.file("b"), recorder);
  EXPECT_NE(bytes_of(folder.file("a/last/weights.safetensors")),
            bytes_of(folder.file("b/last/weights.safetensors")));
}

TEST(TrainingRun, ALossThatIsNotFiniteStopsAndKeepsTheLastGoodCheckpoint) {
  const ScratchFolder folder;
  RunOptions options = one_stage("deterministic", 4);
  Recorder first;
  first.stop_after = 6;  // one epoch and a step
  train_tiny(options, folder.file("run"), first);
  options.stages[0].learning_rate.peak = 1e30;
  Recorder second;
  expect_error<TrainingDiverged>([&] { train_tiny(options, folder.file("run"), second); },
                                 "lower learning_rate");
  const CheckpointHead head =
      read_checkpoint_head(RunFolder{folder.file("run")}.checkpoint()).value();
  EXPECT_EQ(head.state.epoch, 1);
  EXPECT_EQ(head.state.step, 1);
}

TEST(TrainingRun, ACheckpointBeyondTheStageIsRefused) {
  const ScratchFolder folder;
  const RunOptions options = one_stage("deterministic", 4);
  Recorder first;
  first.stop_after = 6;  // one epoch and a step
  train_tiny(options, folder.file("run"), first);
  CheckpointHead head = read_checkpoint_head(RunFolder{folder.file("run")}.checkpoint()).value();
  const std::vector<std::pair<std::int64_t*, std::int64_t>> places = {
      {&head.state.epoch, 1000}, {&head.state.step, 1000}, {&head.state.epoch, 4}};
  for (const auto& [place, beyond] : places) {
    const std::int64_t before = *place;
    *place = beyond;
    write_checkpoint(RunFolder{folder.file("run")}.checkpoint(), head, nullptr, nullptr);
    Recorder second;
    expect_error<DataError>([&] { train_tiny(options, folder.file("run"), second); },
                            "the stage has 4 epochs of 5 steps");
    *place = before;
  }
}

namespace fs = std::filesystem;

void expect_kept_is_missed(const RunOptions& options, const std::string& run,
                           const std::string& kept, const std::string& why) {
  Recorder recorder;
  expect_error<DataError>(
      [&] { train_tiny(options, run, recorder); },
      "the model '" + run + "/" + kept + "' that the run kept cannot be used (" + why);
  EXPECT_TRUE(recorder.epochs.empty());
}

TEST(TrainingRun, WhatAStoppedRunKeptMustBeThereWhenItGoesOn) {
  const ScratchFolder folder;
  const RunOptions options = two_stages("bnn");
  const std::string run = folder.file("run");
  Recorder first;
  first.stop_after = 16;  // in the second stage, after its first epoch
  train_tiny(options, run, first);
  const auto swapped = [&](const std::string& part, const std::function<void()>& damage,
                           const std::string& why) {
    SCOPED_TRACE(part + ": " + why);
    fs::copy(run, folder.file("copy"), fs::copy_options::recursive);
    damage();
    expect_kept_is_missed(options, run, part, why);
    fs::remove_all(run);
    fs::rename(folder.file("copy"), run);
  };
  const std::string weights = run + "/best/weights.safetensors";
  swapped(
      "best", [&] { fs::resize_file(weights, fs::file_size(weights) - 1); }, "");
  swapped(
      "best", [&] { fs::remove(weights); }, "the model folder");
  const auto replace_best = [&] {
    fs::remove_all(run + "/best");
    fs::copy(run + "/stage1/best", run + "/best", fs::copy_options::recursive);
  };
  swapped("best", replace_best, "it is of another stage or run");
  for (const std::string part : {"stage1/best", "stage1/last"}) {
    swapped(
        part, [&] { fs::remove(run + "/" + part + "/model.json"); }, "cannot open");
  }
  fs::remove_all(run + "/last");                         // written again
  fs::remove(run + "/stage1/last/weights.safetensors");  // not looked at any more
  Recorder third;
  EXPECT_TRUE(train_tiny(options, run, third).finished);
}

TEST(TrainingRun, AStageThatIsOverNeedsItsLastModelToo) {
  struct Killed : std::runtime_error {
    Killed() : std::runtime_error("killed") {}
  };
  struct Killer : Recorder {  // after the checkpoint of the last epoch
    void epoch_done(const EpochReport& report) override {
      if (report.epoch == 1) throw Killed();
    }
  };
  const ScratchFolder folder;
  const RunOptions options = one_stage("deterministic", 2);
  const std::string run = folder.file("run");
  Killer first;
  EXPECT_THROW(train_tiny(options, run, first), Killed);
  fs::rename(run + "/last", folder.file("last"));
  expect_kept_is_missed(options, run, "last", "");
  fs::rename(folder.file("last"), run + "/last");
  Recorder second;
  EXPECT_TRUE(train_tiny(options, run, second).finished);
}

TEST(TrainingRun, ABestModelThatIsYetToComeIsNotMissed) {
  const ScratchFolder folder;
  RunOptions options = one_stage("deterministic", 4);
  options.stages[0].early_stop.min_epochs = 3;
  const std::string run = folder.file("run");
  Recorder first;
  first.stop_after = 6;
  train_tiny(options, run, first);
  ASSERT_TRUE(fs::remove_all(run + "/best") > 0);
  Recorder second;
  EXPECT_TRUE(train_tiny(options, run, second).finished);
}

TEST(TrainingRun, ACheckpointOfAnotherRecipeOrOtherDataIsRefused) {
  const ScratchFolder folder;
  const RunOptions options = one_stage("deterministic", 2);
  Recorder recorder;
  recorder.stop_after = 2;
  Provenance provenance;
  provenance.recipe_hash = "1";
  provenance.data_hash = "2";
  const RunFolder run{folder.file("run")};
  train(tiny_set(), options, run, provenance, recorder);
  EXPECT_EQ(run_status(run, 1), RunStatus::kUnfinished);
  provenance.recipe_hash = "3";
  expect_error<DataError>([&] { train(tiny_set(), options, run, provenance, recorder); },
                          "was started with another recipe");
  provenance.recipe_hash = "1";
  provenance.data_hash = "3";
  expect_error<DataError>([&] { train(tiny_set(), options, run, provenance, recorder); },
                          "was started with other data");
}

TEST(TrainingRun, AnotherNumberOfThreadsIsAWarning) {
  const ScratchFolder folder;
  const RunOptions options = one_stage("deterministic", 1);
  const int threads = at::get_num_threads();
  Recorder first;
  first.stop_after = 2;
  train_tiny(options, folder.file("run"), first);
  at::set_num_threads(threads + 1);
  Recorder second;
  train_tiny(options, folder.file("run"), second);
  at::set_num_threads(threads);
  ASSERT_EQ(second.warnings.size(), 1U);
  EXPECT_NE(second.warnings[0].find("use the option 'threads' " + std::to_string(threads)),
            std::string::npos)
      << second.warnings[0];
}

TEST(TrainingRun, StopsEarly) {
  const ScratchFolder folder;
  RunOptions options = one_stage("deterministic", 30);
  options.stages[0].learning_rate.peak = 1e-12;  // nothing gets better
  options.stages[0].early_stop = {"accuracy", 3, 0};
  options.stages[0].sgd.weight_decay = 0;
  Recorder recorder;
  const RunResult result = train_tiny(options, folder.file("run"), recorder);
  EXPECT_TRUE(result.stages[0].stopped_early);
  EXPECT_LT(recorder.epochs.size(), 30U);
  EXPECT_EQ(static_cast<std::int64_t>(recorder.epochs.size()), result.stages[0].best_epoch + 4);
}

TEST(TrainingRun, AMissingClassIsToldAndAMissingSplitIsAnError) {
  const ScratchFolder folder;
  ImageSet set = tiny_set();
  set.class_names.emplace_back("never seen");
  Recorder recorder;
  const RunOptions options = one_stage("deterministic", 1);
  train(set, options, {folder.file("run")}, Provenance{}, recorder);
  ASSERT_FALSE(recorder.warnings.empty());
  EXPECT_NE(recorder.warnings[0].find("'never seen'"), std::string::npos) << recorder.warnings[0];

  set = tiny_set();
  set.splits.erase(set.splits.begin() + 1);
  expect_error<ArgumentError>(
      [&] { train(set, options, {folder.file("other")}, Provenance{}, recorder); },
      "has no split 'val'");
}

TEST(TrainingRun, APointNetworkCannotStartFromAGaussianOne) {
  const ScratchFolder folder;
  Recorder recorder;
  train_tiny(one_stage("bnn", 1), folder.file("bnn"), recorder);
  RunOptions options = one_stage("mc-dropout", 1);
  options.pretrained = folder.file("bnn/last");
  options.stages[0].start = StageStart::kPrevious;
  expect_error<ArgumentError>([&] { train_tiny(options, folder.file("run"), recorder); },
                              "cannot start from the Gaussian model");
}

TEST(TrainingRun, TheRecordKnowsWhichFileItStartedFrom) {
  const ScratchFolder folder;
  Recorder recorder;
  train_tiny(one_stage("deterministic", 1), folder.file("other"), recorder);
  const auto hash_of = [&](const std::string& run) {
    return read_run_record(folder.file(run + "/record.json")).pretrained_hash;
  };
  EXPECT_EQ(hash_of("other"), "") << "from scratch";

  const std::string weights = folder.file("weights.safetensors");
  std::filesystem::copy_file(folder.file("other/last/weights.safetensors"), weights);
  const std::string expected = sha256(bytes_of(weights));
  RunOptions options = one_stage("deterministic", 2);
  options.pretrained = weights;
  options.stages[0].start = StageStart::kPrevious;
  options.normalise.with = NormaliseWith::kTrain;
  Recorder stopping;
  stopping.stop_after = 2;
  EXPECT_FALSE(train_tiny(options, folder.file("run"), stopping).finished);
  std::filesystem::remove(weights);  // a run that goes on does not need it
  EXPECT_TRUE(train_tiny(options, folder.file("run"), recorder).finished);
  EXPECT_EQ(hash_of("run"), expected);

  options.pretrained = folder.file("other");
  train_tiny(options, folder.file("from-model"), recorder);
  EXPECT_EQ(hash_of("from-model"), read_weights_hash(folder.file("other/best")));
}

/// What was allocated and not yet freed. The size of the process would not do: it also grows by
/// what allocators keep of freed memory.
std::size_t held_bytes() {
  if (__sanitizer_get_current_allocated_bytes != nullptr)
    return __sanitizer_get_current_allocated_bytes();
  const struct mallinfo2 held = ::mallinfo2();
  return held.uordblks + held.hblkhd;
}

struct MemoryRecorder : TrainObserver {
  std::vector<std::size_t> after_epoch;
  void epoch_done(const EpochReport&) override { after_epoch.push_back(held_bytes()); }
};

TEST(TrainingRun, MemoryDoesNotGrowOverEpochs) {
  const ScratchFolder folder;
  RunOptions options = one_stage("bnn+cub", 24);
  options.stages[0].passes = 3;
  MemoryRecorder recorder;
  train(tiny_set(), options, {folder.file("run")}, Provenance{}, recorder);
  ASSERT_GT(recorder.after_epoch[11], 0u);
  // A single graph kept per step would be 5 steps x 3 passes x about 1.5 MB an epoch.
  const double grown =
      static_cast<double>(recorder.after_epoch[23]) - static_cast<double>(recorder.after_epoch[11]);
  EXPECT_LT(grown, 4e6);
}

}  // namespace
}  // namespace cubcal
