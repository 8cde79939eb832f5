#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/program.h"
#include "cubcal/core/check.h"
#include "cubcal/io/atomic_file.h"
#include "cubcal_nn/kernels/compute_backend.h"
#include "cubcal_nn/phantom/phantom.h"
#include "cubcal_nn/recipe/recipe.h"
#include "cubcal_nn/train/checkpoint.h"
#include "cubcal_nn/train/training_run.h"
#include "expect_error.h"

/// The recipe of CONTRIBUTING.md for a loss, followed outside the library: a class, and a line that
/// puts it on the list of methods.
namespace cubcal {
namespace {

using nlohmann::json;
using test::expect_error;
using test::ScratchFolder;

/// ELBO + weight (mean c - target)^2: confidence is drawn to the accuracy of the epoch before, by a
/// weight that grows by toy_weight with every epoch.
class ToyObjective : public Objective {
 public:
  std::unique_ptr<Objective> clone() const override {
    return std::make_unique<ToyObjective>(*this);
  }
  StepLoss evaluate(const StepInput& input) const override {
    const at::Tensor toy = (input.prediction.confidence.mean() - input.scalars[1]).square();
    return {input.cross_entropy + input.scalars[0] * toy, {toy}};
  }
  std::vector<TermName> terms() const override { return {{"toy", "toy loss"}}; }
  std::vector<double> scalars() const override { return {weight_ * epoch_, target_}; }
  void observe(const StepNumbers& numbers) override {
    correct_ += numbers.terms.correct;
    images_ += numbers.batch;
  }
  void end_epoch() override {
    target_ = correct_ / static_cast<double>(images_);
    correct_ = 0;
    images_ = 0;
    ++epoch_;
  }
  void read_options(OptionReader& reader) override { reader.read("toy_weight", weight_); }
  void check(const ObjectiveUse&) const override { check_at_least("toy_weight", weight_, 0); }
  json state() const override {
    return {{"toy",
             {{"epoch", epoch_}, {"target", target_}, {"correct", correct_}, {"images", images_}}}};
  }
  void restore(const json& state) override {
    const json& object = state.at("toy");
    object.at("epoch").get_to(epoch_);
    object.at("target").get_to(target_);
    object.at("correct").get_to(correct_);
    object.at("images").get_to(images_);
  }
  NamedNumbers values() const override { return {{"toy_target", target_}}; }
  std::optional<std::string> alarm(const LossTerms& means) const override {
    if (number_named(means.own, "toy") <= 0) return std::nullopt;
    return "the toy loss is above 0: play on";
  }

 private:
  double weight_ = 1;
  int epoch_ = 0;
  double target_ = 0.5;
  double correct_ = 0;
  std::int64_t images_ = 0;
};

void register_toy() {
  static const bool once = [] {
    register_training_method(
        {"bnn+toy", LayerKind::kVariational, std::make_shared<ToyObjective>()});
    return true;
  }();
  (void)once;
}

constexpr const char* kRecipe = R"(
seed = 3
[data.phantom]
train = 64
val = 32
test = 8
ood = 8
image_size = 16
[stage2]
method = "bnn+toy"
start = "scratch"
epochs = 3
batch = 16
passes = 2
toy_weight = 4.0
beta = 0.2
[validation]
passes = 2
[output]
tensorboard = true
)";

Recipe toy_recipe(const std::vector<std::string>& overrides = {}) {
  register_toy();
  return parse_recipe(kRecipe, "toy.toml", overrides);
}

struct ToyObserver : TrainObserver {
  int steps = 0;
  int stop_after = -1;
  std::vector<EpochReport> epochs;
  std::vector<std::string> warnings;

  void step_done(const StepReport&) override { ++steps; }
  void epoch_done(const EpochReport& report) override { epochs.push_back(report); }
  void warning(const std::string& sentence) override { warnings.push_back(sentence); }
  bool stop_requested() override { return stop_after >= 0 && steps >= stop_after; }
};

RunResult train_toy(const Recipe& recipe, const std::string& folder, ToyObserver& observer) {
  set_convolution_backend(ConvolutionBackend::kIm2col);
  const ImageSet set = make_phantom_set(recipe.data.phantom).set;
  return train(set, recipe.run, {folder}, make_provenance(recipe, set), observer);
}

std::string bytes_of(const std::string& path) { return read_text_file(path, 1 << 28); }

TEST(ToyLoss, IsReadFromARecipeLikeAnyOther) {
  const Recipe recipe = toy_recipe();
  const std::map<std::string, std::string> settings(recipe.settings.begin(), recipe.settings.end());
  EXPECT_EQ(settings.at("stage2.toy_weight"), "4.0");
  EXPECT_EQ(settings.count("stage2.beta"), 0U) << "known, but of another loss";
  EXPECT_EQ(toy_recipe({"stage2.method='bnn'"}).run.stages[0].method.name, "bnn")
      << "toy_weight stays known";
  expect_error<ArgumentError>([] { toy_recipe({"stage2.toy_weight=-1"}); },
                              "toml: toy_weight must be at least 0, not -1");
  expect_error<ArgumentError>([] { toy_recipe({"stage2.method='bnn+toys'"}); }, "bnn+toy");
}

TEST(ToyLoss, TrainsLogsAndWarns) {
  const ScratchFolder folder;
  ToyObserver observer;
  const Recipe recipe = toy_recipe();
  EXPECT_TRUE(train_toy(recipe, folder.file("run"), observer).finished);
  ASSERT_EQ(observer.epochs.size(), 3U);
  EXPECT_EQ(number_named(observer.epochs[0].values, "toy_target"), 0.5);
  EXPECT_EQ(number_named(observer.epochs[1].values, "toy_target"),
            observer.epochs[0].train_accuracy);
  const LossTerms& terms = observer.epochs[2].terms;
  const double toy = number_named(terms.own, "toy");
  EXPECT_GT(toy, 0);
  EXPECT_NEAR(terms.loss, terms.cross_entropy + terms.kl + 8 * toy, 1e-4 * terms.loss);
  EXPECT_EQ(observer.epochs[2].loss_summary.rfind("toy loss 0.", 0), 0U);
  EXPECT_EQ(std::count(observer.warnings.begin(), observer.warnings.end(),
                       "stage 1, epoch 1: the toy loss is above 0: play on"),
            1);

  std::istringstream lines(bytes_of(folder.file("run/metrics.jsonl")));
  std::string line;
  std::getline(lines, line);
  const json first = json::parse(line);
  EXPECT_EQ(first.at("toy"), number_named(observer.epochs[0].terms.own, "toy"));
  EXPECT_EQ(first.at("toy_target"), 0.5);
  EXPECT_EQ(first.at("terms"), json({{"toy", "toy loss"}}));
  EXPECT_EQ(first.at("cub"), 0) << "of another loss";
  const json record = json::parse(bytes_of(folder.file("run/record.json")));
  EXPECT_EQ(record.at("stages").at(0).at("method"), "bnn+toy");
}

TEST(ToyLoss, AStoppedRunEndsWithTheSameBytes) {
  const ScratchFolder folder;
  const Recipe recipe = toy_recipe();
  ToyObserver through;
  train_toy(recipe, folder.file("through"), through);
  ToyObserver first;
  first.stop_after = 6;  // in the second epoch
  EXPECT_FALSE(train_toy(recipe, folder.file("stopped"), first).finished);
  const CheckpointHead head =
      read_checkpoint_head(RunFolder{folder.file("stopped")}.checkpoint()).value();
  EXPECT_EQ(head.state.objective.at("toy").at("epoch"), 1);
  EXPECT_EQ(head.state.objective.at("toy").at("images"), 32);
  ToyObserver second;
  EXPECT_TRUE(train_toy(recipe, folder.file("stopped"), second).finished);
  EXPECT_EQ(bytes_of(folder.file("stopped/last/weights.safetensors")),
            bytes_of(folder.file("through/last/weights.safetensors")));
}

TEST(ToyLoss, ANameIsGivenOnce) {
  register_toy();
  expect_error<ArgumentError>([] { register_training_method(training_method("bnn+toy")); },
                              "there is a training method 'bnn+toy' already");
  expect_error<ArgumentError>(
      [] {
        register_training_method({"bnn+nothing", LayerKind::kVariational, nullptr});
      },
      "needs a name and an objective");
}

}  // namespace
}  // namespace cubcal
