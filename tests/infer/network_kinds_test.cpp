// Ensembles and Gaussian last layers in the engine and in model folders.

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <gtest/gtest.h>

#include <cmath>

#include "cubcal/io/atomic_file.h"
#include "cubcal_nn/bayes/moped.h"
#include "cubcal_nn/infer/ensemble_model.h"
#include "cubcal_nn/infer/mc_engine.h"
#include "cubcal_nn/models/ensemble.h"
#include "expect_error.h"
#include "infer/tiny_model.h"
#include "io/file_fixtures.h"

namespace cubcal::test {
namespace {

McOutput run_engine(Network& network, const at::Tensor& images, const McOptions& options) {
  McEngine engine(network, tiny_description(LayerKind::kDeterministic).preprocessing);
  return engine.run(images, options);
}

McOptions with_features(std::size_t passes) {
  McOptions options;
  options.passes = passes;
  options.batch = 4;
  options.features = true;
  return options;
}

class EnsembleFolders : public testing::Test {
 protected:
  void SetUp() override {
    for (std::uint64_t seed = 1; seed <= 3; ++seed) {
      ModelDescription description = tiny_description(LayerKind::kDeterministic);
      description.provenance.data_hash = "of the same data";
      folders_.push_back(scratch_.file("run" + std::to_string(seed)));
      save_model(folders_.back(), description, *tiny_network(LayerKind::kDeterministic, seed));
    }
  }

  EnsembleModel ensemble() const { return ensemble_of(folders_, c10::Device(at::kCPU)); }

  TemporaryFolder scratch_;
  std::vector<std::string> folders_;
};

TEST_F(EnsembleFolders, PassesAreTheMembersInOrder) {
  const at::Tensor images = random_images(6);
  const EnsembleModel made = ensemble();
  EXPECT_TRUE(made.same_data);
  EXPECT_EQ(made.network->members(), 3U);
  const McOutput whole = run_engine(*made.network, images, with_features(80));
  ASSERT_EQ(whole.logits.shape(), (std::vector<std::size_t>{3, 6, 3}));
  at::Tensor sum = at::zeros({6, 32}, at::kDouble);
  for (std::uint64_t s = 0; s < 3; ++s) {
    const auto member = tiny_network(LayerKind::kDeterministic, s + 1);
    const McOutput alone = run_engine(*member, images, with_features(80));
    EXPECT_TRUE(at::equal(tensor_of(whole.logits)[static_cast<std::int64_t>(s)],
                          tensor_of(alone.logits)[0]));
    sum += tensor_of(alone.features.back());
  }
  EXPECT_LT((tensor_of(whole.features.back()) - sum / 3).abs().max().item<double>(), 1e-6);

  McOptions later = with_features(80);
  later.first_pass = 1;
  const McOutput rest = run_engine(*made.network, images, later);
  EXPECT_TRUE(at::equal(tensor_of(rest.logits), tensor_of(whole.logits).narrow(0, 1, 2)));
  EXPECT_EQ(run_engine(*made.network, images, with_features(2)).logits.shape()[0], 2U);
  later.first_pass = 3;
  expect_error<ArgumentError>([&] { run_engine(*made.network, images, later); },
                              "an ensemble of 3 has as many passes");
  McOptions mean = with_features(80);
  mean.mean_weights = true;
  EXPECT_TRUE(at::equal(tensor_of(run_engine(*made.network, images, mean).logits)[0],
                        tensor_of(whole.logits)[0]));
}

TEST_F(EnsembleFolders, IsAModelOnDisk) {
  const EnsembleModel made = ensemble();
  const std::string folder = scratch_.file("ensemble");
  save_model(folder, made.description, *made.network);
  const LoadedModel loaded = load_model(folder);
  EXPECT_EQ(loaded.description.kind, LayerKind::kEnsemble);
  EXPECT_EQ(loaded.description.members, 3U);
  const at::Tensor images = random_images(3);
  const McOptions options = with_features(80);
  EXPECT_TRUE(at::equal(tensor_of(run_engine(*loaded.network, images, options).logits),
                        tensor_of(run_engine(*made.network, images, options).logits)));
  expect_error<ArgumentError>(
      [&] {
        ensemble_of({folders_[0], folder}, c10::Device(at::kCPU));
      },
      "is ensemble");
}

// A file may say anything: no room is made for members whose weights are not there.
TEST_F(EnsembleFolders, HasWeightsOfAllMembers) {
  EnsembleModel made = ensemble();
  const std::string folder = scratch_.file("ensemble");
  save_model(folder, made.description, *made.network);
  std::string text = file_bytes(folder + "/model.json");
  const std::string words = "\"members\": 3";
  text.replace(text.find(words), words.size(), "\"members\": 100");
  write_file_atomically(folder + "/model.json", text);
  expect_error<DataError>([&] { load_model(folder); }, "has too few weights for 100 members");
  text.replace(text.find("\"members\": 100"), words.size() + 2, "\"members\": 101");
  write_file_atomically(folder + "/model.json", text);
  expect_error<DataError>([&] { load_model(folder); }, "an ensemble has 2 to 100 members");
}

TEST_F(EnsembleFolders, MembersGoTogether) {
  const c10::Device cpu(at::kCPU);
  expect_error<ArgumentError>([&] { ensemble_of({folders_[0]}, cpu); }, "two models or more");
  expect_error<ArgumentError>(
      [&] {
        ensemble_of({folders_[0], folders_[0]}, cpu);
      },
      "have the same weights");
  ModelDescription other = tiny_description(LayerKind::kDeterministic);
  other.class_names = {"square", "round", "other"};
  other.provenance.data_hash = "of other data";
  save_model(scratch_.file("other"), other, *tiny_network(LayerKind::kDeterministic, 9));
  expect_error<ArgumentError>(
      [&] {
        ensemble_of({folders_[0], scratch_.file("other")}, cpu);
      },
      "differ in network, head, classes or preprocessing");
  other.class_names = tiny_description(LayerKind::kDeterministic).class_names;
  save_model(scratch_.file("other"), other, *tiny_network(LayerKind::kDeterministic, 9));
  EXPECT_FALSE(ensemble_of({folders_[0], scratch_.file("other")}, cpu).same_data);
  other.kind = LayerKind::kVariational;
  save_model(scratch_.file("other"), other, *tiny_network(LayerKind::kVariational, 9));
  expect_error<ArgumentError>(
      [&] {
        ensemble_of({folders_[0], scratch_.file("other")}, cpu);
      },
      "is variational");
}

TEST(LastLayer, HasGaussiansInTheLayerOfTheLogitsAlone) {
  const auto network = tiny_network(LayerKind::kLastLayer);
  std::vector<std::string> gaussian;
  for (const ParameterEntry& entry : network->parameters().parameters()) {
    if (entry.kind == ParameterKind::kVariational) gaussian.push_back(entry.path);
  }
  EXPECT_EQ(gaussian, (std::vector<std::string>{"fc.3.weight", "fc.3.bias"}));
}

// MOPED gives sigma = 0.1 |w|: over the passes, logits scatter about those of the point network
// with the deviation that follows from independent weights.
TEST(LastLayer, PassesScatterAsItsWeightsDo) {
  const auto point = tiny_network(LayerKind::kDeterministic);
  const auto network = tiny_network(LayerKind::kLastLayer);
  convert_by_moped(point->parameters(), network->parameters(), {});
  const at::Tensor images = random_images(5);
  const McOutput one = run_engine(*point, images, with_features(1));
  const McOutput many = run_engine(*network, images, with_features(4000));
  EXPECT_TRUE(at::equal(tensor_of(many.features.front()), tensor_of(one.features.front())));
  const at::Tensor z = tensor_of(many.logits).to(at::kDouble);
  const ParameterStore& store = point->parameters();
  const auto variance_of = [&](const char* path) {
    return (store.mean_weights()[store.index_of(path)].to(at::kDouble).abs() * 0.1)
        .clamp_min(1e-4)
        .pow(2);
  };
  const at::Tensor features = tensor_of(one.features.back()).to(at::kDouble);
  const at::Tensor expected =
      (at::matmul(features.pow(2), variance_of("fc.3.weight").t()) + variance_of("fc.3.bias"))
          .sqrt();
  const at::Tensor error = (z.mean(0) - tensor_of(one.logits)[0]) / expected;
  EXPECT_LT(error.abs().max().item<double>(), 4.5 / std::sqrt(4000.0));
  EXPECT_LT((z.std(0) / expected - 1).abs().max().item<double>(), 4.5 / std::sqrt(2 * 4000.0));
}

}  // namespace
}  // namespace cubcal::test
